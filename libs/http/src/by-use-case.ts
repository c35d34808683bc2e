import type { Access, Declaration, Needs } from '@dtplatform/permissions';

type Action = NonNullable<Declaration['action']>;
type Declared = Needs<{ access: Access }, undefined>;

/** No check before the handler: a use case checks, because the answer depends on what is stored or on each entry. */
const byUseCase = (declares: Declaration): Declared => ({
  declares,
  check: async () => undefined,
});

/** Declares that the use case decides about the resource that the call names: a 404 without READ, a 403 with READ alone. */
export const permittedByUseCase = (action: Action, resource: string): Declared =>
  byUseCase({ rule: 'resource', action, resource });

/** Declares that the use case requires this for all that the call is about: a 403 without it. */
export const requiredByUseCase = (action: Action, resource: string): Declared =>
  byUseCase({ rule: 'all', action, resource });

/** Declares that the reply holds only what the caller may do this to. Lists are filtered by their query. */
export const filtered = (action: Action, resource: string): Declared => byUseCase({ rule: 'filter', action, resource });

/** Declares that the use case permits or refuses each entry of the body on its own. */
export const eachEntry = (action: Action, resource: string): Declared =>
  byUseCase({ rule: 'entries', action, resource });

/** Declares that the use case finds only what belongs to the caller's organization. */
export const ownOrganization: Declared = byUseCase({ rule: 'organization' });

/** Declares that the use case finds only what belongs to the caller or its app, or is addressed to the caller. */
export const ownOnly: Declared = byUseCase({ rule: 'own' });

/** Declares that no permission is needed, only a token. */
export const anyone: Declared = byUseCase({ rule: 'anyone' });
