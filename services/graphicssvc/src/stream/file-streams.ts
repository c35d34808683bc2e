import { commonErrors } from '@dtplatform/errors';
import type { Access } from '@dtplatform/permissions';
import { errors } from '../errors.js';
import type { FileSetStore } from '../filesets/file-sets.store.js';
import type { FileCache } from '../filestore/file-cache.store.js';
import type { FileSource } from '../filestore/files.client.js';
import { READABLE } from '../filestore/load.js';
import type { Load, Version } from '../filestore/load.js';
import { isId } from '../filestore/loads.js';
import type { KnownVersions } from '../filestore/loads.js';
import type { LoadStore } from '../filestore/loads.store.js';
import { createStreamRights } from './stream-rights.js';
import type { OpenFileSet } from './stream-rights.js';

/** A budget, in bytes or places, with a fair queue. */
interface Shared {
  /**
   * @param holder takes turns with other holders
   * @throws the reason of `signal` once it is aborted
   */
  reserve(amount: number, holder: string, signal: AbortSignal): Promise<{ release(): void }>;
}

/** Bytes per read of the object store; in memory until they are sent. */
const SEGMENT_BYTES = 512 * 1024;

interface ReadRequest {
  fileId: string;
  /** By default that of `LoadStore.defaultsOf`. */
  fileVersionId?: string;
  /** 0 by default. */
  offset?: number;
  /** Up to the end by default. */
  length?: number;
}

/** Without a version until it is known. */
interface Wanted {
  fileId: string;
  version?: Version;
}

/** Excludes `end`. */
interface FileRange {
  load: Load;
  /** The namespace of the call. */
  namespace: string;
  start: number;
  end: number;
}

/** In memory until the next segment is requested. */
export interface Segment {
  offset: number;
  bytes: Buffer;
}

interface Deps {
  fileSetStore: Pick<FileSetStore, 'find'>;
  files: Pick<FileSource, 'find'>;
  knownVersions: KnownVersions;
  loadStore: Pick<LoadStore, 'find' | 'defaultsOf' | 'touch' | 'enqueue' | 'restart'>;
  cache: Pick<FileCache, 'read'>;
  memory: Shared;
  /** Concurrent reads of the object store; each counts as 1. */
  reads: Shared;
}

/** Requeues loads whose content is gone. */
function createSegmentReader({ loadStore, cache, reads }: Pick<Deps, 'loadStore' | 'cache' | 'reads'>) {
  async function requireLoaded(load: Load | undefined, namespace: string): Promise<Load> {
    if (load?._status === 'LOADED') return load;
    if (load?._status !== 'EVICTED') throw notLoaded(load?._status ?? 'NOT_REQUESTED');
    const { _id, _fileId, _fileVersionId, _size } = load;
    await loadStore.enqueue([{ _id, _fileId, _fileVersionId, _size, isLatest: false }], namespace);
    throw notLoaded('QUEUED');
  }

  async function readSegment(
    { load, namespace }: FileRange,
    range: { start: number; end: number },
    connection: string,
    signal: AbortSignal,
  ) {
    const turn = await reads.reserve(1, connection, signal);
    try {
      const bytes = await cache.read(load, range, signal);
      if (bytes) return bytes;
      if (await loadStore.restart(load)) throw notLoaded('QUEUED');
      // It was evicted and perhaps reloaded in the meantime.
      const again = await requireLoaded(await loadStore.find(load, READABLE), namespace);
      const stored = await cache.read(again, range, signal);
      if (stored) return stored;
      throw commonErrors.unavailable();
    } finally {
      turn.release();
    }
  }

  return { requireLoaded, readSegment };
}

/** Each method checks the permissions of `access`, which must be current. */
export function createFileStreams(deps: Deps) {
  const { loadStore, memory } = deps;
  const { requireLoaded, readSegment } = createSegmentReader(deps);
  const rights = createStreamRights(deps);

  return {
    /**
     * @returns the set, and the state of each file that the caller may read; without a load for files that were never
     * requested
     * @throws 404 when the set is not in the namespace or the caller may not read it
     */
    async open(
      id: string,
      namespace: string,
      access: Access,
    ): Promise<OpenFileSet & { files: { _fileId: string; load?: Load }[] }> {
      const fileSet = await rights.requireFileSet(id, namespace, access);
      const ids = await rights.readable(fileSet._fileIds, namespace, access);
      const defaults = await loadStore.defaultsOf([...ids.keys()], READABLE);
      const loads = new Map(defaults.map((load) => [load._fileId, load]));
      const shown = fileSet._fileIds.filter((fileId) => ids.has(fileId));
      return { fileSet, namespace, files: shown.map((_fileId) => ({ _fileId, load: loads.get(_fileId) })) };
    },
    /**
     * @returns those that the caller may still read
     * @throws 404 when the set is gone or the caller may no longer read it
     */
    async readable<W extends Wanted>(opened: OpenFileSet, wanted: W[], access: Access): Promise<Set<W>> {
      const fileIds = wanted.map(({ fileId }) => fileId);
      const found = await rights.readableThrough(opened, fileIds, access);
      const areReadable = await Promise.all(
        wanted.map(({ fileId, version }) => rights.has(found.get(fileId), version, opened.namespace)),
      );
      return new Set(wanted.filter((_one, index) => areReadable[index]));
    },
    /**
     * Finds the range of a read. Requeues an evicted version.
     * @throws 404 unless the caller may read the file through the set, or when the version was deleted; 409 with the
     * state of a version that is not loaded; 416
     */
    async find(
      opened: OpenFileSet,
      { fileId, fileVersionId, offset = 0, length = Infinity }: ReadRequest,
      access: Access,
    ): Promise<FileRange> {
      const { namespace } = opened;
      const file = (await rights.readableThrough(opened, [fileId], access)).get(fileId);
      if (fileVersionId !== undefined && !isId(fileVersionId)) throw errors.fileNotFound();
      const known = await loadStore.find({ _fileId: fileId, _fileVersionId: fileVersionId }, READABLE);
      if (!(await rights.has(file, known, namespace))) throw errors.fileNotFound();
      const load = await requireLoaded(known, namespace);
      if (offset > load._size) throw errors.rangeNotSatisfiable();
      const used = await loadStore.touch(load);
      return { load: used, namespace, start: offset, end: Math.min(offset + length, load._size) };
    },
    /**
     * The bytes of a range in order. Connections take turns; callers share the memory of the process.
     * @throws 409 with its state when the version is evicted during the read, which requeues it
     */
    async *segments(
      range: FileRange,
      { caller, connection }: { caller: string; connection: string },
      signal: AbortSignal,
    ): AsyncGenerator<Segment> {
      let used = range.load;
      for (let offset = range.start; offset < range.end; offset += SEGMENT_BYTES) {
        const end = Math.min(offset + SEGMENT_BYTES, range.end);
        // Keeps the file of a long read from being evicted.
        used = await loadStore.touch(used);
        const share = await memory.reserve(end - offset, caller, signal);
        try {
          yield { offset, bytes: await readSegment(range, { start: offset, end: end - 1 }, connection, signal) };
        } finally {
          share.release();
        }
      }
    },
  };
}

export type FileStreams = ReturnType<typeof createFileStreams>;

const notLoaded = (state: Load['_status'] | 'NOT_REQUESTED') =>
  errors.notLoaded({ details: [{ location: '_status', message: state }] });
