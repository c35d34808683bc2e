/**
 * Where a session is kept. Refresh tokens work once, and using one twice ends the session: whoever shares a store must share
 * `exclusive`, too.
 */
export interface SessionStore {
  get(name: string): Promise<string | undefined>;
  /** Without a value, the entry is removed. */
  set(name: string, value?: string): Promise<void>;
  /** Does the work while nobody else who shares the store does any. */
  exclusive<T>(work: () => Promise<T>): Promise<T>;
}

/** Keeps a session as long as the page or process lives. */
export function memoryStore(): SessionStore {
  const values = new Map<string, string>();
  return {
    get: async (name) => values.get(name),
    set: async (name, value) => void (value === undefined ? values.delete(name) : values.set(name, value)),
    exclusive: (work) => work(),
  };
}

/** What this package uses of browsers; programs for Node.js know no such types. */
interface Browser {
  localStorage: {
    getItem(name: string): string | null;
    setItem(name: string, value: string): void;
    removeItem(name: string): void;
  };
  navigator: { locks: { request<T>(name: string, work: () => Promise<T>): Promise<T> } };
}

/** Keeps a session in the `localStorage` of a browser, for all tabs of the origin. Scripts of the origin can read it. */
export function browserStore(prefix: string): SessionStore {
  const { localStorage, navigator } = globalThis as unknown as Browser;
  const key = (name: string) => `${prefix}:${name}`;
  return {
    get: async (name) => localStorage.getItem(key(name)) ?? undefined,
    async set(name, value) {
      if (value === undefined) localStorage.removeItem(key(name));
      else localStorage.setItem(key(name), value);
    },
    exclusive: (work) => navigator.locks.request(prefix, work),
  };
}

export const hasBrowserStore = (): boolean => 'localStorage' in globalThis && 'window' in globalThis;
