import type { Redis } from 'ioredis';
import { LRUCache } from 'lru-cache';
import pLimit from 'p-limit';
import type { LimitFunction } from 'p-limit';
import { accessKeys } from '@dtplatform/contracts';
import type { Subject } from '@dtplatform/contracts';
import { createStateReader, ensureEpoch, newEpoch } from './access-state.js';
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

/** Calls of the source for one subject at the same time: a request that names many namespaces must not flood it. */
const LOADS_AT_ONCE = 8;

/** Cached grants of a subject, valid as long as the subject's epoch in Redis is this one. */
interface Remembered {
  epoch: string;
  grants: Map<string, Promise<Grants>>;
  namespaces: Promise<string[]> | undefined;
  limit: LimitFunction;
}

const REMEMBERED_SUBJECTS = 10_000;
/** Limit for one subject: requests for made-up namespaces must not fill the memory. */
const REMEMBERED_NAMESPACES = 1000;
/** Bounds how long grants can be stale if a process died before it raised an epoch. */
const MAX_AGE_MS = 60_000;

/**
 * A cache of grants that a revocation invalidates at once: each `open` reads the subject's epoch from Redis, and grants
 * that were cached under another epoch are dropped and loaded again from the source.
 */
export function createGrantCache({ redis, source }: { redis: Redis; source: GrantSource }): GrantCache {
  const readState = createStateReader(redis);
  const remembered = new LRUCache<string, Remembered>({
    max: REMEMBERED_SUBJECTS,
    ttl: MAX_AGE_MS,
    ttlResolution: 1000,
  });

  function memoryOf(key: string, epoch: string): Remembered {
    const known = remembered.get(key);
    if (known?.epoch === epoch) return known;
    const fresh = memoryUnder(epoch);
    remembered.set(key, fresh);
    return fresh;
  }

  return {
    async open(subject, moreKeys = []) {
      const key = accessKeys.epoch(subject);
      const [epoch, ...more] = await readState([key, ...moreKeys]);
      const memory = memoryOf(key, epoch ?? (await ensureEpoch(redis, key)));
      return { lookup: lookupIn(memory, subject, source), more };
    },
    async peek(subject) {
      const key = accessKeys.epoch(subject);
      const [epoch] = await readState([key]);
      return lookupIn(epoch ? memoryOf(key, epoch) : memoryUnder(newEpoch()), subject, source);
    },
  };
}

const memoryUnder = (epoch: string): Remembered => ({
  epoch,
  grants: new Map(),
  namespaces: undefined,
  limit: pLimit(LOADS_AT_ONCE),
});

function lookupIn(memory: Remembered, subject: Subject, source: GrantSource): GrantLookup {
  return {
    grants(namespace) {
      const known = memory.grants.get(namespace);
      if (known) return known;
      const loading = memory.limit(() => source.grantsOf(subject, namespace)).then(compileGrants);
      if (memory.grants.size >= REMEMBERED_NAMESPACES) memory.grants.clear();
      memory.grants.set(namespace, loading);
      loading.catch(() => memory.grants.delete(namespace));
      return loading;
    },
    namespaces() {
      if (memory.namespaces) return memory.namespaces;
      const loading = source.namespacesOf(subject);
      memory.namespaces = loading;
      loading.catch(() => (memory.namespaces = undefined));
      return loading;
    },
  };
}
