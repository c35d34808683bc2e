export interface Html {
  readonly html: string;
}

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (character) => ESCAPES[character]!);

/** Builds HTML from a template and escapes interpolated strings. */
export function html(strings: TemplateStringsArray, ...values: (Html | Html[] | string | undefined)[]): Html {
  const filled = values.map((value) =>
    typeof value === 'object'
      ? [value]
          .flat()
          .map((part) => part.html)
          .join('')
      : escapeHtml(value ?? ''),
  );
  return { html: strings.map((part, index) => part + (filled[index] ?? '')).join('') };
}

/** The logo: a thing and its twin, in the theme's accent. Decorative. */
export const mark = html`<svg class="mark" viewBox="4.5 1.5 35 42" fill="none" aria-hidden="true" focusable="false">
  <path d="M22 3 38 12v14" stroke="currentColor" stroke-width="2.5" stroke-linecap="round" stroke-linejoin="round" />
  <path d="M22 3 6 12v14" stroke="currentColor" stroke-width="2.5" stroke-linecap="round" stroke-linejoin="round" />
  <path d="m22 16 14 8-14 8-14-8Z" fill="currentColor" />
  <path
    d="m6 33 16 8.5 16-8.5"
    stroke="currentColor"
    stroke-width="2.5"
    stroke-linecap="round"
    stroke-linejoin="round"
  />
</svg>`;

/** A name from a stranger: `bdi` isolates its text direction from the surrounding sentence. */
export const strangerText = (text: string): Html => html`<strong><bdi>${text}</bdi></strong>`;

export const shownDestination = (destination: string): Html =>
  destination.endsWith(':')
    ? html`an app on this device that opens ${strangerText(destination)} links`
    : strangerText(destination);

const FORMAT = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' });

export const timeText = (epochMs: number): string => `${FORMAT.format(epochMs)} UTC`;

export const timeOf = (epochMs: number): Html =>
  html`<time datetime="${new Date(epochMs).toISOString()}">${timeText(epochMs)}</time>`;

export const fact = (term: string, description: Html): Html =>
  html`<div>
    <dt>${term}</dt>
    <dd>${description}</dd>
  </div>`;
