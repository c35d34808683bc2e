import { cutText } from '@dtplatform/contracts';
import { commonErrors } from '@dtplatform/errors';

const MAX_NAME = 64;

/**
 * Refuses a URL whose escapes are not UTF-8, or contain NUL. The parsers of Node.js would replace what they cannot decode.
 * @throws 400 that names the parameter
 */
export function refuseUndecodable(url: string): void {
  if (!url.includes('%') || isDecodable(url)) return;
  const [path = '', ...parameters] = url.split(/[?&]/);
  const [name = ''] = parameters.find((parameter) => !isDecodable(parameter))?.split('=') ?? [];
  const parameter = isDecodable(name) ? `query.${cutText(decodeURIComponent(name), MAX_NAME)}` : 'query';
  const location = isDecodable(path) ? parameter : 'path';
  throw commonErrors.badRequest({ details: [{ location, message: 'has escapes that are not UTF-8, or NUL' }] });
}

/** Whether the percent escapes of a text are UTF-8, without NUL. */
export function isDecodable(text: string): boolean {
  try {
    return !decodeURIComponent(text).includes('\0');
  } catch {
    return false;
  }
}
