import { del, get, set } from 'idb-keyval';

/**
 * Stores a session. A refresh token works once, and using it twice ends the session, so all users of a store must share
 * `exclusive`.
 */
export interface SessionStore {
  /** Names are `tokens`, and `sign-in:…` for started sign-ins. */
  get(name: string): Promise<string | undefined>;
  /** Removes the entry if there is no value. */
  set(name: string, value?: string): Promise<void>;
  /** Runs the work exclusively among all users of the store. */
  exclusive<T>(work: () => Promise<T>): Promise<T>;
}

/** Keeps a session for the lifetime of the page or process. */
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

/** The browser APIs used here. Node.js programs lack their types. */
interface Browser {
  sessionStorage: {
    getItem(name: string): string | null;
    setItem(name: string, value: string): void;
    removeItem(name: string): void;
  };
  navigator: { locks: { request<T>(name: string, work: () => Promise<T>): Promise<T> } };
}

/**
 * Stores a session in a browser, shared by all tabs of the origin. Scripts of the origin can read it. A started sign-in
 * belongs to its tab and ends with it.
 *
 * Uses IndexedDB, because another tab may see writes to `localStorage` late, even after it waited for a lock.
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
