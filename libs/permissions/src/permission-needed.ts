import { cutText } from '@dtplatform/contracts';
import { commonErrors } from '@dtplatform/errors';
import type { AppError } from '@dtplatform/errors';

const MAX_NAME = 64;
const MAX_NAMES = 3;

/**
 * A 403 that says which permission is missing.
 * @param namespaces those that the caller may hear of
 */
export function permissionNeeded(
  { action, resource = 'the resource' }: { action?: string; resource?: string } = {},
  namespaces: readonly string[] = [],
): AppError {
  if (action === undefined) return commonErrors.forbidden();
  const names = namespaces
    .slice(0, MAX_NAMES)
    .map((name) => cutText(name, MAX_NAME))
    .join(', ');
  const where = names === '' ? 'a namespace of the call or of the resource' : `the namespace ${names}`;
  return commonErrors.forbidden({ message: `The caller needs ${action} on ${resource} in ${where}.` });
}
