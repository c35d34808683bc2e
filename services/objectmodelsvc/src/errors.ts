import { defineErrors } from '@dtplatform/errors';
import { revocationErrors } from '@dtplatform/permissions';

/** Why an entry of a write or a check is refused. */
export const errors = {
  ...revocationErrors,
  ...defineErrors({
    invalidEntry: { status: 400, message: 'The entry is not a valid permission.' },
    unknownSubject: { status: 400, message: 'The user of the permission does not exist.' },
    mayNotGrant: {
      status: 403,
      message: 'The caller needs SHARE on the resource and can grant only actions that it holds.',
    },
    tooManyCriteria: {
      status: 400,
      message: 'A subject can hold at most 100 permissions with criteria in a namespace.',
    },
    mayNotAudit: {
      status: 403,
      message: 'Reading the audit log of a namespace requires SHARE on everything in it.',
    },
    mayNotAsk: {
      status: 403,
      message: 'The caller can check its own permissions, and those of others where it holds SHARE.',
    },
  }),
};
