import { TOKEN_FIELD } from './forms.http.js';
import { html } from './html.js';
import type { Html } from './html.js';

export interface Field {
  /** The parameter's name and the input's id. */
  name: string;
  label: string;
  type?: 'text' | 'password';
  /** What browsers and password managers fill in (HTML, "autofill"). */
  autocomplete: string;
  value?: string;
  hint?: string;
  maxLength?: number;
  /** Whether the page's problem concerns this field; then it describes the field to screen readers. */
  isWrong?: boolean;
  hasFocus?: boolean;
}

const PROBLEM_ID = 'problem';

/** Why the submitted form failed; announced by screen readers. */
export const problemText = (problem: string | undefined): Html | string =>
  problem === undefined ? '' : html`<div class="problem" role="alert" id="${PROBLEM_ID}"><p>${problem}</p></div>`;

export const doneText = (text: string | undefined): Html | string =>
  text === undefined ? '' : html`<div class="done" role="status"><p>${text}</p></div>`;

export function field({ name, label, type = 'text', autocomplete, value, hint, maxLength, ...state }: Field): Html {
  const hintId = `${name}-hint`;
  const describedBy = [hint && hintId, state.isWrong && PROBLEM_ID].filter(Boolean).join(' ');
  return html`<label for="${name}">${label}</label>
    ${hint ? html`<p class="hint" id="${hintId}">${hint}</p>` : ''}
    <input
      id="${name}"
      name="${name}"
      type="${type}"
      autocomplete="${autocomplete}"
      ${type === 'text' ? html`value="${value}" autocapitalize="none" spellcheck="false"` : ''}
      ${describedBy ? html`aria-describedby="${describedBy}"` : ''}
      ${state.isWrong ? html`aria-invalid="true"` : ''}
      ${maxLength ? html`maxlength="${String(maxLength)}"` : ''}
      required
      ${state.hasFocus ? html`autofocus` : ''}
    />`;
}

export const hiddenFields = (fields: Record<string, string>, token: string): Html[] =>
  Object.entries({ ...fields, [TOKEN_FIELD]: token }).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`,
  );
