const ACCEPTED = new Set(['read', 'write', 'scim']);

/** What every token has: authorization by scope is not implemented (contract: Authentication, 5). */
export const GRANTED_SCOPE = 'read write';

/** Whether all that is asked for is known. Nothing asked for is fine. */
export const isAcceptedScope = (requested: string | undefined): boolean =>
  requested?.split(' ').every((scope) => scope === '' || ACCEPTED.has(scope)) ?? true;
