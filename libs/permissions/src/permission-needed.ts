import { cutText } from '@dtplatform/contracts';
import { commonErrors } from '@dtplatform/errors';
import type { AppError } from '@dtplatform/errors';

const MAX_NAME = 64;
const MAX_NAMES = 3;

const AS_LIST = new Intl.ListFormat('en-GB');

/**
 * A 403 that names the missing permission.
 * @param namespaces those that the caller may know
 * @param isEach whether it is needed in each of them; otherwise one suffices
 */
export function permissionNeeded(
  { action, resource = 'the resource' }: { action?: string; resource?: string } = {},
  namespaces: readonly string[] = [],
  isEach = false,
): AppError {
  if (action === undefined) return commonErrors.forbidden();
  const where = whereOf(
    namespaces.slice(0, MAX_NAMES).map((name) => cutText(name, MAX_NAME)),
    isEach,
  );
  return commonErrors.forbidden({ message: `The caller needs ${action} on ${resource} in ${where}.` });
}

function whereOf(names: string[], isEach: boolean): string {
  if (names.length === 0) return 'a namespace of the call or of the resource';
  if (names.length === 1) return `the namespace ${names[0]}`;
  return `${isEach ? 'the' : 'one of the'} namespaces ${AS_LIST.format(names)}`;
}
