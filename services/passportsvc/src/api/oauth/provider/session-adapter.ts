import { LRUCache } from 'lru-cache';
import type { Adapter } from 'oidc-provider';
import type { BrowserState } from '../../../domain/oauth/browser-state.js';
import type { BrowserStateStore } from '../../../domain/oauth/ports.js';
import { unused } from './unused-adapter.js';

/** The stored fields of a session. Its records of each app are not needed, because each sign-in is a new authorization. */
const KEPT = ['uid', 'accountId', 'loginTs', 'amr', 'acr', 'transient', 'state', 'iat', 'exp'] as const;

const MAX_SESSIONS = 10_000;
/** Each use extends a session's expiry; it is written only when it has moved this far. */
const EXPIRY_STEP_SEC = 600;

/**
 * Browser sessions. The library saves the session on each request; a session that is unchanged since this process last read
 * it is not written again.
 */
export function sessionAdapter(sessions: BrowserStateStore): Adapter {
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
