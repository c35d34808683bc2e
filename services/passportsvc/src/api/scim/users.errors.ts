import { commonErrors } from '@dtplatform/errors';
import { errors } from '../../errors.js';

/** Why a query is refused. */
export const unanswerable = [
  errors.invalidFilter,
  errors.invalidPath,
  errors.tooManyMatches,
  commonErrors.pageTooLarge,
];
/** Why a user is not stored. Passwords wait in a queue to be hashed, and it may be full. */
export const unstorable = [errors.userNameTaken, commonErrors.tooManyRequests];
export const unpatchable = [
  errors.invalidPath,
  errors.invalidFilter,
  errors.noTarget,
  errors.readOnlyAttribute,
  errors.invalidValue,
];
