import type { Redis } from 'ioredis';
import { LRUCache } from 'lru-cache';
import type { LimitFunction } from 'p-limit';
import pLimit from 'p-limit';
import { accessKeys } from '@dtplatform/contracts';
import type { Grant, Subject } from '@dtplatform/contracts';
import { createStateReader, ensureEpoch } from './access-state.js';
import { compileGrants } from './decision.js';
import type { Grants } from './decision.js';
import type { GrantSource } from './grant-source.js';

/** The grants of one subject, as of the moment when the lookup was opened. */
export interface GrantLookup {
  grants(namespace: string): Promise<Grants>;
  /** The namespaces in which the subject has any grant. */
  namespaces(): Promise<string[]>;
}

export interface GrantCache {
  /**
   * Opens a lookup for one subject. Reads `moreKeys` for the caller in the same round trip to Redis.
   * @throws the error of Redis while it is unavailable
   */
  open(subject: Subject, moreKeys?: string[]): Promise<{ lookup: GrantLookup; more: (string | null)[] }>;
  /** A lookup for a subject that somebody else asks about. It may not exist: nothing is stored in Redis for it. */
  peek(subject: Subject): Promise<GrantLookup>;
}

export interface GrantCacheOptions {
  redis: Redis;
  source: GrantSource;
  /** Called whenever grants, or the namespaces of a subject, are asked for. */
  onLookup?: (cache: 'grants' | 'namespaces', isHit: boolean) => void;
}

/** Calls of the source at the same time: a request that names many namespaces must not flood it. */
const LOADS_AT_ONCE = 8;

/** Bounds how long grants can be stale if a process died before it raised an epoch. */
const MAX_AGE_MS = 60_000;
const MAX_NAMESPACE_LISTS = 10_000;
const MAX_GRANT_BYTES = 64 * 1024 * 1024;
/** What compiled grants take in memory, roughly: a namespace, each of its grants, and each grant with criteria. */
const [NAMESPACE_BYTES, GRANT_BYTES, GRANT_BYTES_WITH_CRITERIA] = [1300, 60, 1300];

/** By epoch: that of a subject changes with whatever changes its grants, and no two subjects have the same. */
interface Caches {
  onLookup: NonNullable<GrantCacheOptions['onLookup']>;
  grants: Cache<Promise<Grants>>;
  namespaces: Cache<Promise<string[]>>;
}

interface Cache<V> {
  get(key: string): V | undefined;
  set(key: string, value: V, options?: { size: number }): unknown;
  delete(key: string): unknown;
}

/**
 * A cache of grants that a revocation invalidates at once: each `open` reads the subject's epoch from Redis, and grants
 * that were cached under another epoch are dropped and loaded again from the source.
 */
export function createGrantCache({ redis, source, onLookup = () => undefined }: GrantCacheOptions): GrantCache {
  const readState = createStateReader(redis);
  const age = { ttl: MAX_AGE_MS, ttlResolution: 1000 };
  const caches: Caches = {
    onLookup,
    grants: new LRUCache({ maxSize: MAX_GRANT_BYTES, ...age }),
    namespaces: new LRUCache({ max: MAX_NAMESPACE_LISTS, ...age }),
  };

  return {
    async open(subject, moreKeys = []) {
      const key = accessKeys.epoch(subject);
      const [known, ...more] = await readState([key, ...moreKeys]);
      const epoch = known ?? (await ensureEpoch(redis, key));
      return { lookup: lookupIn(caches, epoch, subject, source), more };
    },
    async peek(subject) {
      const [epoch] = await readState([accessKeys.epoch(subject)]);
      if (epoch) return lookupIn(caches, epoch, subject, source);
      return lookupIn({ onLookup, grants: new Map(), namespaces: new Map() }, '', subject, source);
    },
  };
}

function lookupIn(caches: Caches, epoch: string, subject: Subject, source: GrantSource): GrantLookup {
  let limit: LimitFunction | undefined;

  async function load(namespace: string, onSize: (bytes: number) => void): Promise<Grants> {
    limit ??= pLimit(LOADS_AT_ONCE);
    const grants = await limit(() => source.grantsOf(subject, namespace));
    onSize(bytesOf(grants));
    return compileGrants(grants);
  }

  return {
    grants(namespace) {
      const key = `${epoch}\n${namespace}`;
      const known = caches.grants.get(key);
      caches.onLookup('grants', known !== undefined);
      if (known) return known;
      const loading = load(namespace, (size) => {
        // The LRU cache does not change the size of a value that it has.
        caches.grants.delete(key);
        caches.grants.set(key, loading, { size });
      });
      caches.grants.set(key, loading, { size: NAMESPACE_BYTES });
      loading.catch(() => caches.grants.delete(key));
      return loading;
    },
    namespaces() {
      const known = caches.namespaces.get(epoch);
      caches.onLookup('namespaces', known !== undefined);
      if (known) return known;
      const loading = source.namespacesOf(subject);
      caches.namespaces.set(epoch, loading);
      loading.catch(() => caches.namespaces.delete(epoch));
      return loading;
    },
  };
}

/** No more than the cache holds: it would not keep larger ones at all, and each request would load them again. */
function bytesOf(grants: Grant[]): number {
  const bytes = grants.reduce((sum, grant) => sum + bytesOfOne(grant), NAMESPACE_BYTES);
  return Math.min(bytes, MAX_GRANT_BYTES);
}

const bytesOfOne = ({ _criteria, _subresourceDesc }: Grant): number =>
  _criteria || _subresourceDesc ? GRANT_BYTES_WITH_CRITERIA : GRANT_BYTES;
