import { cutText } from '@dtplatform/contracts';
import { commonErrors } from '@dtplatform/errors';

const MAX_NAME = 64;

/**
 * Refuses a URL whose query has escapes that are not valid UTF-8 or that encode NUL. The parser of Node.js would replace what it cannot decode. In a
 * path, Express refuses them.
 * @throws 400 that names the parameter
 */
export function refuseUndecodable(url: string): void {
  const query = url.slice(url.indexOf('?') + 1);
  if (query === url || !query.includes('%') || isDecodable(query)) return;
  const [name = ''] = query
    .split('&')
    .find((parameter) => !isDecodable(parameter))!
    .split('=');
  const location = isDecodable(name) ? `query.${cutText(decodeURIComponent(name), MAX_NAME)}` : 'query';
  throw commonErrors.badRequest({
    details: [{ location, message: 'has escapes that are not valid UTF-8 or that encode NUL' }],
  });
}

/** Whether the percent escapes of a text are UTF-8, without NUL. */
export function isDecodable(text: string): boolean {
  try {
    return !decodeURIComponent(text).includes('\0');
  } catch {
    return false;
  }
}
