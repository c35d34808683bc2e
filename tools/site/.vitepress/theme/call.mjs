/** Builds and sends the call that a reader has filled in. */

/** Enough to read. */
const MAX_SHOWN = 100_000;
const TEXT = /json|^text\//;

/**
 * @param operation the form in the frontmatter of an operation's page
 * @param values by name of the field; empty ones are not sent
 * @returns what `fetch` takes
 */
export function requestOf({ method, path, fields, body: content }, { values, body, token }) {
  const filled = fields.filter(({ name }) => values[name]);
  const of = (place) => filled.filter((field) => field.in === place).map(({ name }) => [name, values[name]]);
  const query = new URLSearchParams(of('query')).toString();
  const target = of('path').reduce((text, [name, value]) => text.replace(`{${name}}`, encodeURIComponent(value)), path);
  // A mistyped name is an error that suggests the right one.
  const headers = { Prefer: 'handling=strict', ...Object.fromEntries(of('header')) };
  if (token) headers.Authorization = `Bearer ${token}`;
  if (content && body) headers['Content-Type'] = content.type;
  const form = of('form');
  return {
    url: query ? `${target}?${query}` : target,
    ...{ method: method.toUpperCase(), headers, credentials: 'omit' },
    body: form.length > 0 ? new URLSearchParams(form) : (content && body) || undefined,
  };
}

/** @returns the response as text. @throws if there is none */
export async function send({ url, ...options }, signal) {
  const startedAt = performance.now();
  const response = await fetch(url, { ...options, signal });
  const ms = Math.round(performance.now() - startedAt);
  const headers = [...response.headers].map(([name, value]) => `${name}: ${value}`);
  const status = `${response.status} ${response.statusText}`.trim();
  return { status, ms, isError: !response.ok, text: [...headers, '', await textOf(response)].join('\n') };
}

async function textOf(response) {
  if (!TEXT.test(response.headers.get('content-type') ?? '')) {
    // A file can be larger than the memory of a page.
    await response.body?.cancel();
    return '';
  }
  const text = pretty(await response.text());
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}\n… (${text.length} characters in all)` : text;
}

function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
