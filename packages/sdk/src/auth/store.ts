import { del, get, set } from 'idb-keyval';

/**
 * Where a session is kept. Refresh tokens work once, and using one twice ends the session: whoever shares a store must share
 * `exclusive`, too.
 */
export interface SessionStore {
  /** Names are `tokens`, and `sign-in:…` for sign-ins that have begun. */
  get(name: string): Promise<string | undefined>;
  /** Without a value, the entry is removed. */
  set(name: string, value?: string): Promise<void>;
  /** Does the work while nobody else who shares the store does any. */
  exclusive<T>(work: () => Promise<T>): Promise<T>;
}

/** Keeps a session as long as the page or process lives. */
export function memoryStore(): SessionStore {
  const values = new Map<string, string>();
  let last: Promise<unknown> = Promise.resolve();
  return {
    get: async (name) => values.get(name),
    set: async (name, value) => void (value === undefined ? values.delete(name) : values.set(name, value)),
    exclusive: (work) => {
      const done = last.then(work);
      last = done.catch(() => undefined);
      return done;
    },
  };
}

/** What this package uses of browsers; programs for Node.js know no such types. */
interface Browser {
  sessionStorage: {
    getItem(name: string): string | null;
    setItem(name: string, value: string): void;
    removeItem(name: string): void;
  };
  navigator: { locks: { request<T>(name: string, work: () => Promise<T>): Promise<T> } };
}

/**
 * Keeps a session in a browser, for all tabs of the origin. Scripts of the origin can read it. A sign-in that has begun belongs to its
 * tab, and is forgotten with it.
 *
 * It uses IndexedDB, because what one tab writes to `localStorage` may reach another one only later, even if that has waited for a lock.
 */
export function browserStore(prefix: string): SessionStore {
  const { sessionStorage, navigator } = globalThis as unknown as Browser;
  const key = (name: string) => `${prefix}:${name}`;
  const isOfTab = (name: string) => name.startsWith('sign-in:');
  return {
    get: async (name) => (isOfTab(name) ? (sessionStorage.getItem(key(name)) ?? undefined) : get(key(name))),
    async set(name, value) {
      if (!isOfTab(name)) return value === undefined ? del(key(name)) : set(key(name), value);
      if (value === undefined) sessionStorage.removeItem(key(name));
      else sessionStorage.setItem(key(name), value);
    },
    exclusive: (work) => navigator.locks.request(prefix, work),
  };
}

export const hasBrowserStore = (): boolean => 'indexedDB' in globalThis && 'sessionStorage' in globalThis;
