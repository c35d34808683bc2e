import { errors } from 'oidc-provider';

const ACCEPTED = new Set(['read', 'write', 'scim']);

/** What every token has: authorization by scope is not implemented (contract: Authentication, 5). */
export const GRANTED_SCOPE = 'read write';

/** @throws invalid_scope (RFC 6749, section 5.2) when something else is asked for */
export function checkScope(requested: string | undefined): void {
  const isAccepted = requested?.split(' ').every((scope) => scope === '' || ACCEPTED.has(scope)) ?? true;
  if (!isAccepted) throw new errors.InvalidScope('the requested scope is unknown', requested!);
}
