/** Builds and sends the call that a reader has filled in. */

/** Enough to read; a file can be larger. */
const MAX_SHOWN = 100_000;

/**
 * @param operation the form in the frontmatter of an operation's page
 * @param values by name of the field; empty ones are not sent
 * @returns what `fetch` takes
 */
export function requestOf(operation, { values, body, token }) {
  const filled = operation.fields.filter(({ name }) => values[name]);
  const of = (place) => filled.filter((field) => field.in === place).map(({ name }) => [name, values[name]]);
  const path = of('path').reduce(
    (text, [name, value]) => text.replace(`{${name}}`, encodeURIComponent(value)),
    operation.path,
  );
  const query = new URLSearchParams(of('query')).toString();
  // A mistyped name is an error that suggests the right one.
  const headers = { Prefer: 'handling=strict', ...Object.fromEntries(of('header')) };
  if (token) headers.Authorization = `Bearer ${token}`;
  const form = of('form');
  if (form.length > 0)
    return { url: withQuery(path, query), method: operation.method, headers, body: new URLSearchParams(form) };
  if (operation.body && body) headers['Content-Type'] = operation.body.type;
  return { url: withQuery(path, query), method: operation.method, headers, ...(operation.body && body && { body }) };
}

const withQuery = (path, query) => (query ? `${path}?${query}` : path);

/** @returns the response for display; throws if there is none */
export async function send({ url, method, ...options }, signal) {
  const startedAt = performance.now();
  const response = await fetch(url, { ...options, method: method.toUpperCase(), credentials: 'omit', signal });
  const ms = Math.round(performance.now() - startedAt);
  return {
    status: `${response.status} ${response.statusText}`.trim(),
    isError: !response.ok,
    ms,
    text: await textOf(response),
  };
}

async function textOf(response) {
  const type = response.headers.get('content-type') ?? '';
  if (!/json|^text\//.test(type)) return `${(await response.blob()).size} bytes${type && ` of ${type}`}`;
  const text = await response.text();
  const pretty = /json/.test(type) ? JSON.stringify(JSON.parse(text), null, 2) : text;
  return pretty.length > MAX_SHOWN ? `${pretty.slice(0, MAX_SHOWN)}\n… (${text.length} characters in all)` : pretty;
}
