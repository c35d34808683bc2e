import type { Adapter, AdapterFactory } from 'oidc-provider';
import { LRUCache } from 'lru-cache';
import { hashCode } from '../token/authorization.js';
import type { AuthorizationStore } from '../token/authorizations.store.js';
import type { BrowserState, BrowserStateStore } from './browser-states.store.js';

/** An adapter for models that are never stored: calling it is a programming error. */
function unused(name: string): Adapter {
  const refuse = () => Promise.reject(new Error(`${name} is never stored through this adapter`));
  return {
    upsert: refuse,
    find: refuse,
    findByUid: refuse,
    findByUserCode: refuse,
    consume: refuse,
    destroy: refuse,
    revokeByGrantId: refuse,
  };
}

/** The stored fields of a session. Omits its records of apps, because each sign-in is a new authorization. */
const KEPT = ['uid', 'accountId', 'loginTs', 'amr', 'acr', 'transient', 'state', 'iat', 'exp'] as const;

const MAX_SESSIONS = 10_000;
/** Each use extends a session; only a step of this size is written. */
const EXPIRY_STEP_SEC = 600;

/** Browser sessions. The library saves the session on each request; unchanged sessions are not written again. */
function sessionAdapter(sessions: BrowserStateStore): Adapter {
  const lastRead = new LRUCache<string, { content: string; exp: number }>({ max: MAX_SESSIONS });

  return {
    ...unused('Session'),
    async upsert(id, payload, expiresInSec = 0) {
      const state = Object.fromEntries(KEPT.map((name) => [name, payload[name]]));
      const previous = lastRead.get(id);
      if (previous?.content === contentOf(state) && Number(payload.exp) - previous.exp < EXPIRY_STEP_SEC) return;
      lastRead.delete(id);
      await sessions.put(id, state, expiresInSec);
    },
    async find(id) {
      const state = await sessions.find(id);
      if (!state) {
        lastRead.delete(id);
        return undefined;
      }
      lastRead.set(id, { content: contentOf(state), exp: Number(state.exp) });
      return { ...state, jti: id };
    },
    findByUid: (uid) => sessions.findByUid(uid),
    async destroy(id) {
      lastRead.delete(id);
      await sessions.remove(id);
    },
  };
}

/** The fields that do not change with each use, in a fixed order. */
const contentOf = (state: BrowserState['state']) =>
  JSON.stringify(KEPT.filter((name) => name !== 'iat' && name !== 'exp').map((name) => state[name] ?? null));

export interface AdapterStores {
  sessions: BrowserStateStore;
  interactions: BrowserStateStore;
  authorizations: AuthorizationStore;
}

/** Storage of the OAuth library. Tokens are not stored. */
export function createAdapters(stores: AdapterStores): AdapterFactory {
  const adapters: Partial<Record<string, Adapter>> = {
    Session: sessionAdapter(stores.sessions),
    Interaction: interactionAdapter(stores.interactions),
    AuthorizationCode: codeAdapter(stores.authorizations),
    // The implicit grant replaces the library's token with the platform's.
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
