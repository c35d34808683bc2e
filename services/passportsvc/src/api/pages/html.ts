/** HTML that is safe to send. */
export interface Html {
  readonly html: string;
}

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (character) => ESCAPES[character]!);

/** Builds HTML from a template; interpolated strings are escaped. */
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
