import type { IncomingHttpHeaders } from 'node:http';
import { commonErrors } from '@dtplatform/errors';

const ENCODINGS = /^[\w.+-]{1,32}(\s*,\s*[\w.+-]{1,32}){0,3}$/;

/** What a request's content-encoding says of the file; bodies are never decoded. @throws 400 */
export function encodingOf(headers: IncomingHttpHeaders): string | undefined {
  const encoding = headers['content-encoding'];
  if (encoding === undefined || encoding === '' || encoding === 'identity') return undefined;
  if (!ENCODINGS.test(encoding)) throw commonErrors.badRequest({ message: 'The content-encoding is not valid.' });
  return encoding;
}

/** Bytes of the body, where the request says so. */
export function lengthOf(headers: IncomingHttpHeaders): number | undefined {
  const length = headers['content-length'];
  return length === undefined ? undefined : Number(length);
}
