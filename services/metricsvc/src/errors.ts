import { defineErrors } from '@dtplatform/errors';

/** Why a series cannot be given. */
export const errors = defineErrors({
  periodBackwards: { status: 400, message: 'The period ends before it begins.' },
  periodTooLong: { status: 400, message: 'The period has too many points: ask for less, or for one point per day.' },
});
