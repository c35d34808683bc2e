import { LRUCache } from 'lru-cache';
import type { Versioned, Versions } from './ports.js';

const MAX_ENTRIES = 10_000;
/**
 * Bounds how long a change goes unnoticed that did not raise the version: by the migration, or by a process that died before it
 * could.
 */
const MAX_AGE_MS = 3000;

/** Called for each lookup with whether the answer was known. */
export type OnLookup = (isHit: boolean) => void;

interface Options<T> {
  kind: Versioned;
  versions: Versions;
  find: (id: string) => Promise<T | undefined>;
  onLookup?: OnLookup;
}

/** Keeps what `find` found while its version is the current one. What it did not find is looked up again each time. */
export function cached<T extends object>({ kind, versions, find, onLookup }: Options<T>) {
  // By version: no two apps or users have the same.
  const cache = new LRUCache<string, T>({ max: MAX_ENTRIES, ttl: MAX_AGE_MS, ttlResolution: 100 });

  return async (id: string): Promise<T | undefined> => {
    const version = await versions.current(kind, id);
    const known = version === undefined ? undefined : cache.get(version);
    onLookup?.(known !== undefined);
    if (known) return known;
    const found = await find(id);
    if (found && version !== undefined) cache.set(version, found);
    // For the next call: what this one found may be older than the version. None begins for what does not exist.
    if (found && version === undefined) await versions.begin(kind, id);
    return found;
  };
}
