import { AppError } from '@dtplatform/errors';
import type { Logger } from '@dtplatform/logging';
import { errors } from '../errors.js';
import { objectKey } from './load.js';
import type { Load } from './load.js';
import { LoadLost, watchLoad } from './load-watch.js';
import type { FileCache, FileSource, LoadEnd, LoadStore } from './ports.js';

/** A load that was begun this often takes its process down each time. */
const MAX_CLAIMS = 20;

/** How a worker works on a load. */
interface WorkContext {
  /** Aborted when this process must end: the load goes on elsewhere. */
  shutdown: AbortSignal;
  /** Whether a load that failed for now is tried again later; else it ends as ERROR. */
  mayRetry: boolean;
}

export interface Loading {
  /** Works on a queued load, or on one that another process left. Throws when it must be tried again. */
  process(id: string, context: WorkContext): Promise<void>;
}

/** Brings graphics files from filesvc into the store. What a load came to is one write at its end. */
export function createLoading(deps: { store: LoadStore; files: FileSource; cache: FileCache; log: Logger }): Loading {
  const { store, files, cache, log } = deps;

  async function bring(load: Load, signal: AbortSignal): Promise<LoadEnd> {
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

  /** What a failure means for the load; undefined when another process has its say. @throws when it is to be tried again */
  function endOf(error: unknown, load: Load, context: WorkContext): LoadEnd | undefined {
    if (error instanceof LoadLost) return undefined;
    const isPermanent = error instanceof AppError && error.status < 500;
    if (!isPermanent && (context.mayRetry || context.shutdown.aborted)) throw error;
    log.warn({ err: error, loadId: load._id }, 'a load failed');
    return { status: 'ERROR', message: isPermanent ? error.message : 'The file could not be loaded.' };
  }

  async function work(load: Load, context: WorkContext): Promise<LoadEnd | undefined> {
    if (load._work.claims > MAX_CLAIMS) return { status: 'ERROR', message: 'The load was begun too often.' };
    const watch = watchLoad(load, store, context.shutdown);
    try {
      return await bring(load, watch.signal);
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
