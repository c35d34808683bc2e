import type { z } from 'zod';
import type { AppError, ErrorOptions } from '@dtplatform/errors';

/** Reserved for the platform's own data in documents with free-form fields. */
export const PLATFORM = '_platform';

/** The same schema, rejecting the reserved name. */
export const withoutPlatform = <S extends z.ZodType<Record<string, unknown>>>(schema: S): S =>
  schema.refine((fields) => !Object.hasOwn(fields, PLATFORM), { path: [PLATFORM], message: 'is a reserved name' });

const MAX_LENGTH = 256;
const MAX_SEGMENTS = 32;

type Reject = (options?: ErrorOptions) => AppError;

/** Validates a dotted path in a document. @throws the given error */
export function checkPath(path: string, reject: Reject): string {
  if (path === PLATFORM || path.startsWith(`${PLATFORM}.`))
    throw reject({ message: `${PLATFORM} is a reserved name.` });
  return checkNames(path, reject);
}

/** The same for a path inside a field. */
export function checkNames(path: string, reject: Reject): string {
  const segments = path.split('.');
  const isValid =
    path.length <= MAX_LENGTH && segments.length <= MAX_SEGMENTS && !path.includes('\0') && segments.every(isName);
  if (!isValid) throw reject();
  return path;
}

const isName = (segment: string) => segment !== '' && !segment.startsWith('$') && segment !== '__proto__';
