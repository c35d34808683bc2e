import { isRejection } from '@dtplatform/errors';
import { LeaseLost } from '@dtplatform/lease';
import type { Logger } from '@dtplatform/logging';
import { errors } from '../errors.js';
import type { FileCache } from './file-cache.store.js';
import type { FileSource } from './files.client.js';
import { objectKey, UNENDED } from './load.js';
import type { Load, LoadEnd } from './load.js';
import type { LoadStore } from './loads.store.js';

/** A load that starts this often probably crashes its process. */
const MAX_CLAIMS = 20;
const LEFTOVERS_AT_ONCE = 100;

interface WorkContext {
  /** Aborted when this process shuts down; another one continues the load. */
  shutdown: AbortSignal;
  /** Whether temporary failures are retried; otherwise the load ends as ERROR. */
  mayRetry: boolean;
  /** Whether an administrator has discarded the load. */
  isDiscarded?: boolean;
}

interface LoadingDeps {
  loadStore: LoadStore;
  files: FileSource;
  cache: FileCache;
  log: Logger;
}

/** Copies files from filesvc into the store. A single write at the end records the outcome. */
export function createLoading({ loadStore, files, cache, log }: LoadingDeps) {
  async function copy(load: Load, signal: AbortSignal): Promise<LoadEnd> {
    const key = objectKey(load);
    const { multipartId, namespace } = load._work;
    if (multipartId !== undefined) await cache.discard(key, multipartId);
    const [file] = await files.find([load._fileId], namespace, { signal });
    if (!file) throw errors.fileGone();
    if (!file.isGraphics) return { _status: 'SKIPPED', _message: 'The file is not tagged as a graphics file.' };
    const content = await files.open(load, signal);
    const onMultipart = async (id: string) => {
      if (!(await loadStore.keepMultipart(load, id))) throw new LeaseLost();
    };
    await cache.write({ key, content, size: load._size, onMultipart, signal });
    return { _status: 'LOADED' };
  }

  /**
   * @returns how the load ends; undefined when this process no longer holds it
   * @throws when it must be retried
   */
  function endOf(error: unknown, load: Load, context: WorkContext): LoadEnd | undefined {
    if (error instanceof LeaseLost) return undefined;
    const isPermanent = isRejection(error);
    if (!isPermanent && (context.mayRetry || context.shutdown.aborted)) throw error;
    log.warn({ err: error, loadId: load._id }, 'a load failed');
    return { _status: 'ERROR', _message: isPermanent ? error.message : 'The file could not be loaded.' };
  }

  async function work(load: Load, context: WorkContext): Promise<LoadEnd | undefined> {
    const { lease, firstFence } = load._work;
    if (lease.fence - firstFence > MAX_CLAIMS)
      return { _status: 'ERROR', _message: 'The load was started too many times.' };
    if (context.isDiscarded) return { _status: 'ERROR', _message: 'An administrator discarded the load.' };
    const kept = loadStore.keep(load, context.shutdown);
    try {
      return await copy(load, kept.signal);
    } catch (error) {
      return endOf(kept.signal.aborted ? kept.signal.reason : error, load, context);
    } finally {
      kept.stop();
    }
  }

  return {
    /**
     * Processes a queued or abandoned load. Rejects when it must be retried. Resolves with `'taken'` when another
     * process has taken it over and may not have ended it yet.
     */
    async process(id: string, context: WorkContext): Promise<'taken' | undefined> {
      const load = await loadStore.claim(id);
      if (!load) return undefined;
      const end = await work(load, context);
      if (end && (await loadStore.end(load, end))) return undefined;
      const status = await loadStore.statusOf(id);
      // Its workspace may have been deleted while the last bytes were written.
      if (status === undefined || status === 'EVICTED') await cache.remove(load);
      return status && UNENDED.includes(status) ? 'taken' : undefined;
    },
    /**
     * Removes leftover parts of ended loads.
     * @returns the number of loads
     */
    async discardLeftovers(): Promise<number> {
      const left = await loadStore.findLeftovers(LEFTOVERS_AT_ONCE);
      for (const load of left) {
        await cache.discard(objectKey(load), load._work.multipartId!);
        await loadStore.forgetMultipart(load);
      }
      return left.length;
    },
  };
}

export type Loading = ReturnType<typeof createLoading>;
