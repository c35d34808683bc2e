import { LRUCache } from 'lru-cache';
import type { Adapter } from 'oidc-provider';
import type { OAuthStateStore, State } from '../../store/oauth-state-store.js';
import { unused } from './unused-adapter.js';

/** What makes a session. What it also remembers of each app is not needed again: each sign-in has a new authorization. */
const KEPT = ['uid', 'accountId', 'loginTs', 'amr', 'acr', 'transient', 'state', 'iat', 'exp'] as const;

const REMEMBERED_SESSIONS = 10_000;
/** A session's expiry moves with each use; it is written only when it has moved this far. */
const EXPIRY_STEP_SEC = 600;

/**
 * Sessions of browsers. The library saves a session with each request of it; a session that is still as this process
 * last read it is not written again.
 */
export function sessionAdapter(sessions: OAuthStateStore): Adapter {
  const asRead = new LRUCache<string, { content: string; exp: number }>({ max: REMEMBERED_SESSIONS });

  return {
    ...unused('Session'),
    async upsert(id, payload, expiresInSec = 0) {
      const state = Object.fromEntries(KEPT.map((name) => [name, payload[name]]));
      const known = asRead.get(id);
      if (known?.content === contentOf(state) && Number(payload.exp) - known.exp < EXPIRY_STEP_SEC) return;
      asRead.delete(id);
      await sessions.put(id, state, expiresInSec);
    },
    async find(id) {
      const state = await sessions.find(id);
      if (!state) {
        asRead.delete(id);
        return undefined;
      }
      asRead.set(id, { content: contentOf(state), exp: Number(state.exp) });
      return { ...state, jti: id };
    },
    findByUid: (uid) => sessions.findByUid(uid),
    async destroy(id) {
      asRead.delete(id);
      await sessions.remove(id);
    },
  };
}

/** The session without what changes with each use, in one order of names. */
const contentOf = (state: State) =>
  JSON.stringify(KEPT.filter((name) => name !== 'iat' && name !== 'exp').map((name) => state[name] ?? null));
