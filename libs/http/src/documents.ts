import type { Access, Declaration, Needs } from '@dtplatform/permissions';

/**
 * Documents what a use case checks, because the answer depends on what is stored or on each entry. Checks nothing itself:
 * the permission matrix of the end-to-end tests proves each rule.
 */
export const documents = (rule: Declaration): Needs<{ access: Access }, undefined> => ({
  declares: rule,
  check: async () => undefined,
});
