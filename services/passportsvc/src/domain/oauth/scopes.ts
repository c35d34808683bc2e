const ACCEPTED = new Set(['read', 'write', 'scim']);

/** The scope of every token: authorization by scope is not implemented (docs/contract.md, "Authentication"). */
export const GRANTED_SCOPE = 'read write';

/** Whether every requested scope is known. Requesting none is allowed. */
export const isAcceptedScope = (requested: string | undefined): boolean =>
  requested?.split(' ').every((scope) => scope === '' || ACCEPTED.has(scope)) ?? true;
