import type { Adapter, AdapterFactory } from 'oidc-provider';
import type { OAuthStateStore } from '../../store/oauth-state-store.js';
import { hashCode } from '../authorization.js';
import type { AuthorizationStore } from '../authorization.js';
import { sessionAdapter } from './session-adapter.js';
import { unused } from './unused-adapter.js';

export interface AdapterStores {
  sessions: OAuthStateStore;
  interactions: OAuthStateStore;
  authorizations: AuthorizationStore;
}

/** Where the OAuth library keeps its things. Tokens are not among them: access tokens are not stored at all. */
export function createAdapters(stores: AdapterStores): AdapterFactory {
  const adapters: Partial<Record<string, Adapter>> = {
    Session: sessionAdapter(stores.sessions),
    Interaction: interactionAdapter(stores.interactions),
    AuthorizationCode: codeAdapter(stores.authorizations),
    // The token beside an implicit code: another takes its place, and it leaves no trace.
    AccessToken: { ...unused('AccessToken'), upsert: async () => undefined },
  };
  return (name) => adapters[name] ?? unused(name);
}

const interactionAdapter = (interactions: OAuthStateStore): Adapter => ({
  ...unused('Interaction'),
  async upsert(id, { jti: _id, session, ...payload }, expiresInSec = 0) {
    // The session's id is its key: it stays in the browser.
    const kept = session && { ...(session as object), cookie: undefined };
    await interactions.put(id, { ...payload, session: kept }, expiresInSec);
  },
  async find(id) {
    const state = await interactions.find(id);
    return state && { ...state, jti: id };
  },
  destroy: (id) => interactions.remove(id),
});

/** Codes are only written here; the grant redeems them. */
const codeAdapter = (authorizations: AuthorizationStore): Adapter => ({
  ...unused('AuthorizationCode'),
  async upsert(code, payload, expiresInSec = 0) {
    const expiresAt = new Date(Date.now() + expiresInSec * 1000);
    await authorizations.open({
      _id: payload.grantId!,
      clientId: payload.clientId!,
      accountId: payload.accountId!,
      code: {
        hash: hashCode(code),
        challenge: payload.codeChallenge ?? null,
        redirectUri: payload.redirectUri!,
        expiresAt,
      },
      generation: 0,
      needsSecret: true,
      expiresAt,
    });
  },
});
