import type { Adapter, AdapterFactory } from 'oidc-provider';
import { hashCode } from '../../../domain/oauth/authorization.js';
import type { AuthorizationStore, BrowserStateStore } from '../../../domain/oauth/ports.js';
import { sessionAdapter } from './session-adapter.js';
import { unused } from './unused-adapter.js';

export interface AdapterStores {
  sessions: BrowserStateStore;
  interactions: BrowserStateStore;
  authorizations: AuthorizationStore;
}

/** The storage of the OAuth library. Tokens are not stored. */
export function createAdapters(stores: AdapterStores): AdapterFactory {
  const adapters: Partial<Record<string, Adapter>> = {
    Session: sessionAdapter(stores.sessions),
    Interaction: interactionAdapter(stores.interactions),
    AuthorizationCode: codeAdapter(stores.authorizations),
    // The implicit grant replaces the library's token with one of the platform.
    AccessToken: { ...unused('AccessToken'), upsert: async () => undefined },
  };
  return (name) => adapters[name] ?? unused(name);
}

const interactionAdapter = (interactions: BrowserStateStore): Adapter => ({
  ...unused('Interaction'),
  async upsert(id, { jti: _id, session, ...payload }, expiresInSec = 0) {
    // The session's id is its secret and stays in the browser.
    const kept = session && { ...(session as object), cookie: undefined };
    await interactions.put(id, { ...payload, session: kept }, expiresInSec);
  },
  async find(id) {
    const state = await interactions.find(id);
    return state && { ...state, jti: id };
  },
  destroy: (id) => interactions.remove(id),
});

/** Only writes codes; the token endpoint redeems them. */
const codeAdapter = (authorizations: AuthorizationStore): Adapter => ({
  ...unused('AuthorizationCode'),
  async upsert(code, payload, expiresInSec = 0) {
    const expiresAt = new Date(Date.now() + expiresInSec * 1000);
    await authorizations.insert({
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
