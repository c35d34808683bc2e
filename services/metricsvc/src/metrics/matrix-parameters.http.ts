import { commonErrors } from '@dtplatform/errors';

/**
 * Parses matrix parameters of a path, `;namespace=…;file_id=…` (RFC 3986, section 3.3). Takes the raw URL, because an
 * encoded `;` or `=` belongs to a value.
 * @throws 400 for a parameter that is not `name=value`, or a repeated name
 */
export function matrixParameters(url: string): Record<string, string> {
  const path = url.split('?', 1)[0]!.replace(/\/+$/, '');
  const start = path.indexOf(';');
  const found = new Map<string, string>();
  for (const pair of start === -1 ? [] : path.slice(start + 1).split(';')) {
    if (decode(pair).trim() === '') continue;
    const [name = '', ...value] = pair.split('=');
    const decoded = decode(name).trim();
    if (value.length === 0 || found.has(decoded)) throw malformed();
    found.set(decoded, decode(value.join('=')));
  }
  return Object.fromEntries(found);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw malformed();
  }
}

const malformed = () =>
  commonErrors.badRequest({ details: [{ location: 'path', message: 'must be name=value pairs joined by ;' }] });
