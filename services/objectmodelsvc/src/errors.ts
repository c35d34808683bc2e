import { defineErrors } from '@dtplatform/errors';

/** Why an entry of a write or a check is refused. */
export const errors = defineErrors({
  invalidEntry: { status: 400, message: 'The entry is not a valid permission.' },
  unknownSubject: { status: 400, message: 'The user of the permission does not exist.' },
  mayNotGrant: {
    status: 403,
    message: 'The caller needs SHARE on the resource and can grant only actions that it holds.',
  },
  mayNotAsk: {
    status: 403,
    message: 'The caller can check its own permissions, and those of others where it holds SHARE.',
  },
});
