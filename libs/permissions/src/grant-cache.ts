import { LRUCache } from 'lru-cache';
import type { LimitFunction } from 'p-limit';
import pLimit from 'p-limit';
import { accessKeys } from '@dtplatform/contracts';
import type { Grant, Subject } from '@dtplatform/contracts';
import type { RedisConnection } from '@dtplatform/redis';
import { createEpochs } from './access-state.js';
import { compileGrants } from './decision.js';
import type { Grants } from './decision.js';
import type { GrantSource } from './grant-source.js';

/** The grants of one subject at the time the lookup was opened. */
export interface GrantLookup {
  grants(namespace: string): Promise<Grants>;
  /** The namespaces in which the subject has any grant. */
  namespaces(): Promise<string[]>;
}

export interface GrantCache {
  /**
   * Opens a lookup for one subject. Also reads `moreKeys` in the same round trip to Redis.
   * @throws Redis errors
   */
  open(subject: Subject, moreKeys?: string[]): Promise<{ lookup: GrantLookup; more: (string | null)[] }>;
  /** A lookup for a subject other than the caller. It may not exist, so nothing is stored in Redis for it. */
  peek(subject: Subject): Promise<GrantLookup>;
}

export interface GrantCacheOptions {
  redis: RedisConnection;
  source: GrantSource;
  /** Called for each lookup of grants or namespaces. */
  onLookup?: (cache: 'grants' | 'namespaces', isHit: boolean) => void;
}

/** Concurrent calls of the source: a request that names many namespaces must not flood it. */
const LOADS_AT_ONCE = 8;

/** Bounds how long grants can be stale if a process died before it raised an epoch. */
const MAX_AGE_MS = 60_000;
const MAX_NAMESPACE_LISTS = 10_000;
const MAX_GRANT_BYTES = 64 * 1024 * 1024;
/** Estimated memory of compiled grants: per namespace, per grant, and per grant with criteria. */
const [NAMESPACE_BYTES, GRANT_BYTES, GRANT_BYTES_WITH_CRITERIA] = [1300, 60, 1300];

/** Keyed by epoch, which is unique per subject and changes with its grants. */
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
 * A cache of grants that revocations invalidate immediately: each `open` reads the subject's epoch from Redis, and
 * grants cached under another epoch are loaded again.
 */
export function createGrantCache({ redis, source, onLookup = () => undefined }: GrantCacheOptions): GrantCache {
  const epochs = createEpochs(redis);
  const age = { ttl: MAX_AGE_MS, ttlResolution: 1000 };
  const caches: Caches = {
    onLookup,
    grants: new LRUCache({ maxSize: MAX_GRANT_BYTES, ...age }),
    namespaces: new LRUCache({ max: MAX_NAMESPACE_LISTS, ...age }),
  };

  return {
    async open(subject, moreKeys = []) {
      const key = accessKeys.epoch(subject);
      const { epoch, more } = await epochs.read(key, moreKeys);
      return { lookup: lookupIn(caches, epoch ?? (await epochs.ensure(key)), subject, source), more };
    },
    async peek(subject) {
      const { epoch } = await epochs.read(accessKeys.epoch(subject));
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
        // The LRU cache does not update the size of an existing entry.
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

/**
 * Capped at the size of the cache, which would otherwise not keep the entry, so that each request would load it again.
 */
function bytesOf(grants: Grant[]): number {
  const bytes = grants.reduce((sum, grant) => sum + bytesOfOne(grant), NAMESPACE_BYTES);
  return Math.min(bytes, MAX_GRANT_BYTES);
}

const bytesOfOne = ({ _criteria, _subresourceDesc }: Grant): number =>
  _criteria || _subresourceDesc ? GRANT_BYTES_WITH_CRITERIA : GRANT_BYTES;
