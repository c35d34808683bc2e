import { defineErrors } from '@dtplatform/errors';
import { revocationErrors } from '@dtplatform/permissions';

/** Errors of the entries of a write or a check. */
export const errors = {
  ...revocationErrors,
  ...defineErrors({
    invalidEntry: {
      status: 400,
      message: 'The entry is not a valid permission.',
      remedy: 'Compare the entry with the contract; `_failures` names it by `_index`.',
    },
    unknownSubject: {
      status: 400,
      message: 'The subject of the permission does not exist.',
      remedy: 'Check `_user._type` and `_user._id`.',
    },
    mayNotGrant: {
      status: 403,
      message: 'The caller needs SHARE on the resource and can grant only actions that it holds.',
      remedy: 'Grant only actions that the caller holds, on resources where it holds SHARE.',
    },
    tooManyCriteria: {
      status: 400,
      message: 'A subject can hold at most 100 permissions with criteria in a namespace.',
      remedy: 'Combine criteria, or grant to a group.',
    },
    mayNotAudit: {
      status: 403,
      message: 'Reading the audit log of a namespace requires SHARE on everything in it.',
      remedy: 'Ask for SHARE on `*:*:*` in the namespace.',
    },
    mayNotAsk: {
      status: 403,
      message: 'The caller can check its own permissions, and those of others where it holds SHARE.',
      remedy: 'Check the permissions of the caller itself, or ask for SHARE on the resource.',
    },
  }),
};
