import { commonErrors } from '@dtplatform/errors';

/** Why a change that is accepted in the order of others cannot be. */
export const unacceptable = [commonErrors.conflict, commonErrors.tooManyRequests];
