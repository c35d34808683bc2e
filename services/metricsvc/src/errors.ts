import { defineErrors } from '@dtplatform/errors';

export const errors = defineErrors({
  periodBackwards: { status: 400, message: 'The period ends before it starts.', remedy: 'Swap the two times.' },
  periodTooLong: {
    status: 400,
    message: 'The period has too many points. Request a shorter one, or one point per day.',
    remedy: 'Request a shorter period, or days instead of hours.',
  },
});
