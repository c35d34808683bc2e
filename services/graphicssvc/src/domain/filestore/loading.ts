import { isRefusal } from '@dtplatform/errors';
import type { Logger } from '@dtplatform/logging';
import { errors } from '../../errors.js';
import type { FileCache, FileSource, LoadEnd, LoadStore } from '../ports.js';
import { objectKey } from './load.js';
import type { Load } from './load.js';
import { LoadLost, watchLoad } from './load-watch.js';

/** A load that was started this often probably crashes the process each time. */
const MAX_CLAIMS = 20;

interface WorkContext {
  /** Aborted when this process shuts down: another one continues the load. */
  shutdown: AbortSignal;
  /** Whether a temporary failure is retried later; otherwise the load ends as ERROR. */
  mayRetry: boolean;
}

export interface Loading {
  /** Works on a queued load, or on one that another process left behind. Rejects when the load must be retried. */
  process(id: string, context: WorkContext): Promise<void>;
}

/** Copies graphics files from filesvc into the store. The outcome of a load is one write at its end. */
export function createLoading(deps: { store: LoadStore; files: FileSource; cache: FileCache; log: Logger }): Loading {
  const { store, files, cache, log } = deps;

  async function copy(load: Load, signal: AbortSignal): Promise<LoadEnd> {
    const key = objectKey(load);
    const { multipartId, namespace } = load._work;
    if (multipartId !== undefined) await cache.discard(key, multipartId);
    const [file] = await files.find([load._fileId], namespace, { signal });
    if (!file) throw errors.fileGone();
    if (!file.isGraphics) return { status: 'SKIPPED', message: 'The file is not tagged as a graphics file.' };
    if (file.tipId !== load._fileVersionId) throw errors.notTheLatest();
    const content = await files.open(load, signal);
    const onMultipart = async (id: string) => {
      if (!(await store.keepMultipart(load, id))) throw new LoadLost();
    };
    await cache.write({ key, content, size: file.size, onMultipart, signal });
    return { status: 'LOADED', size: file.size };
  }

  /** @returns how the load ends, or undefined when this process no longer holds it. @throws when it must be retried */
  function endOf(error: unknown, load: Load, context: WorkContext): LoadEnd | undefined {
    if (error instanceof LoadLost) return undefined;
    const isPermanent = isRefusal(error);
    if (!isPermanent && (context.mayRetry || context.shutdown.aborted)) throw error;
    log.warn({ err: error, loadId: load._id }, 'a load failed');
    return { status: 'ERROR', message: isPermanent ? error.message : 'The file could not be loaded.' };
  }

  async function work(load: Load, context: WorkContext): Promise<LoadEnd | undefined> {
    if (load._work.claims > MAX_CLAIMS) return { status: 'ERROR', message: 'The load was started too often.' };
    const watch = watchLoad(load, store, context.shutdown);
    try {
      return await copy(load, watch.signal);
    } catch (error) {
      return endOf(watch.signal.aborted ? watch.signal.reason : error, load, context);
    } finally {
      watch.close();
    }
  }

  return {
    async process(id, context) {
      const load = await store.claim(id);
      const end = load && (await work(load, context));
      if (end) await store.end(load, end);
    },
  };
}
