import type { AuthorizationStore } from './ports.js';

interface Deps {
  authorizationStore: AuthorizationStore;
  /** Refuses all access tokens of these authorizations that were issued until now. */
  refuseTokens: (authorizationIds: string[]) => Promise<void>;
}

/** Ends all authorizations of a user, or those of one app by the user, and refuses their tokens. */
export type EndAuthorizations = (of: { accountId: string; clientId?: string }) => Promise<void>;

const BATCH = 500;

/**
 * The tokens are refused first: if Redis is unavailable, the authorizations remain and can be ended again. The caller makes
 * sure that no token is issued meanwhile.
 */
export const createEndAuthorizations =
  ({ authorizationStore, refuseTokens }: Deps): EndAuthorizations =>
  async (of) => {
    for (;;) {
      const ids = await authorizationStore.listIds(of, BATCH);
      await refuseTokens(ids);
      await authorizationStore.removeAll(ids);
      if (ids.length < BATCH) return;
    }
  };
