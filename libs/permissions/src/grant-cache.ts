import type { Redis } from 'ioredis';
import { LRUCache } from 'lru-cache';
import { accessKeys } from '@dtplatform/contracts';
import type { Subject } from '@dtplatform/contracts';
import { createStateReader, ensureEpoch } from './access-state.js';
import { compileGrants } from './decision.js';
import type { Grants } from './decision.js';
import type { GrantSource } from './grant-source.js';

/** The grants of one subject, current as of the moment the lookup was made. */
export interface GrantLookup {
  grants(namespace: string): Promise<Grants>;
  /** Where the subject holds anything. */
  namespaces(): Promise<string[]>;
}

export interface GrantCache {
  /**
   * A lookup for one subject. In the same read of Redis further keys are read for the caller.
   * @throws the error of Redis while that is away
   */
  open(subject: Subject, moreKeys?: string[]): Promise<{ lookup: GrantLookup; more: (string | null)[] }>;
}

/** What is remembered of a subject. It counts only while the subject's epoch is the one it was made under. */
interface Remembered {
  epoch: string;
  grants: Map<string, Promise<Grants>>;
  namespaces: Promise<string[]> | undefined;
}

const REMEMBERED_SUBJECTS = 10_000;
/** Of one subject; whoever asks about made-up namespaces must not fill the memory. */
const REMEMBERED_NAMESPACES = 1000;
/** Bounds what could be stale if an epoch was not raised because a process died at the wrong moment. */
const MAX_AGE_MS = 60_000;

/**
 * Grants in memory that a revocation ends at once: each `open` reads the subject's epoch in Redis, and what was
 * remembered under another epoch is dropped and loaded anew from the source.
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
    const fresh: Remembered = { epoch, grants: new Map(), namespaces: undefined };
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
  };
}

function lookupIn(memory: Remembered, subject: Subject, source: GrantSource): GrantLookup {
  return {
    grants(namespace) {
      const known = memory.grants.get(namespace);
      if (known) return known;
      const loading = source.grantsOf(subject, namespace).then(compileGrants);
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
