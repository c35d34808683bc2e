import { defineErrors } from '@dtplatform/errors';

/** Why an entry of a permission write is refused, or a question about somebody else. */
export const errors = defineErrors({
  invalidEntry: { status: 400, message: 'The entry is not a valid permission.' },
  unknownSubject: { status: 400, message: 'The user of the permission does not exist.' },
  mayNotGrant: { status: 403, message: 'The caller may share only what it holds, where it holds SHARE.' },
  mayNotAsk: { status: 403, message: 'The caller may ask about itself, or where it holds SHARE.' },
});
