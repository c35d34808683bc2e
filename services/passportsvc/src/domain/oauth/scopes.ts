/** Scopes that a client may request. None of them limits what its token can do (docs/contract.md, "Authentication"). */
export const ACCEPTED_SCOPES = ['read', 'write', 'scim'];

/** The scope of every token, regardless of what was requested. */
export const GRANTED_SCOPE = 'read write';

/** Whether every requested scope is known. Requesting none is allowed. */
export const isAcceptedScope = (requested: string | undefined): boolean =>
  requested?.split(' ').every((scope) => scope === '' || ACCEPTED_SCOPES.includes(scope)) ?? true;
