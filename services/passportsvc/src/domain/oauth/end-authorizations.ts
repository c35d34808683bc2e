import type { AuthorizationStore } from './ports.js';

interface Deps {
  authorizationStore: AuthorizationStore;
  /** Refuses all access tokens of these authorizations that were issued until now. */
  refuseTokens: (authorizationIds: string[]) => Promise<void>;
}

/** Ends all authorizations of an app by a user, and refuses their tokens. */
export type EndAuthorizations = (of: { accountId: string; clientId: string }) => Promise<void>;

/**
 * The tokens are refused first: if Redis is unavailable, the authorizations remain and can be ended again. The caller makes
 * sure that no token is issued meanwhile.
 */
export const createEndAuthorizations =
  ({ authorizationStore, refuseTokens }: Deps): EndAuthorizations =>
  async (of) => {
    const ids = await authorizationStore.listIds(of);
    await refuseTokens(ids);
    await authorizationStore.removeAll(ids);
  };
