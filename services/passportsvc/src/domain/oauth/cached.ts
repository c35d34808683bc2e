import { LRUCache } from 'lru-cache';

const MAX_ENTRIES = 10_000;
/**
 * How long a change to an app or user may go unnoticed. Whatever removes one must refuse its tokens for at least this long.
 */
const MAX_AGE_MS = 3000;

/** Called for each lookup with whether the answer was known. */
export type OnLookup = (isHit: boolean) => void;

/** Keeps what `find` found for a short time. What it did not find is looked up again each time. */
export function cached<T extends object>(
  find: (id: string) => Promise<T | undefined>,
  onLookup?: OnLookup,
): (id: string) => Promise<T | undefined> {
  const cache = new LRUCache<string, T>({ max: MAX_ENTRIES, ttl: MAX_AGE_MS, ttlResolution: 100 });

  return async (id) => {
    const known = cache.get(id);
    onLookup?.(known !== undefined);
    if (known) return known;
    const found = await find(id);
    if (found) cache.set(id, found);
    return found;
  };
}
