import type { AppError } from '@dtplatform/errors';

const MAX_LENGTH = 256;
const MAX_SEGMENTS = 32;

/** Checks the path of a field: names joined by dots. @throws the given error */
export function checkPath(path: string, refuse: () => AppError): string {
  const segments = path.split('.');
  const isValid =
    path.length <= MAX_LENGTH && segments.length <= MAX_SEGMENTS && !path.includes('\0') && segments.every(isName);
  if (!isValid) throw refuse();
  return path;
}

const isName = (segment: string) => segment !== '' && !segment.startsWith('$') && segment !== '__proto__';
