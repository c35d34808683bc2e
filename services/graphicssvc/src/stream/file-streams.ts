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

/** What is shared by those who wait for it in turns: memory in bytes, or places. */
interface Shared {
  /** @param holder who takes turns with others. @throws the reason of `signal` once it is aborted */
  reserve(amount: number, holder: string, signal: AbortSignal): Promise<{ release(): void }>;
}

/** Bytes that are read from the object store at once, and wait in memory until they are sent. */
const SEGMENT_BYTES = 512 * 1024;

interface ReadRequest {
  fileId: string;
  /** The version that `LoadStore.defaultsOf` names by default. */
  fileVersionId?: string;
  /** The first byte; 0 by default. */
  offset?: number;
  /** As many bytes at most; up to the end by default. */
  length?: number;
}

/** What a read is about; without a version until that is known. */
interface Wanted {
  fileId: string;
  version?: Version;
}

/** Bytes of a loaded version, from `start` up to `end`, which is not part of it. */
interface FileRange {
  load: Load;
  /** The namespace of the call. */
  namespace: string;
  start: number;
  end: number;
}

/** Bytes that are in memory until the next ones are asked for. */
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
  /** Memory for segments. */
  memory: Shared;
  /** Reads of the object store at the same time; each counts as 1. */
  reads: Shared;
}

/** Reads loaded versions. Those whose content is gone are queued to be loaded again. */
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
      // It was evicted meanwhile, and perhaps loaded again.
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

/** Streams of loaded files. Each method checks the rights of `access`, which must be of this moment. */
export function createFileStreams(deps: Deps) {
  const { loadStore, memory } = deps;
  const { requireLoaded, readSegment } = createSegmentReader(deps);
  const rights = createStreamRights(deps);

  return {
    /**
     * Opens a file set.
     * @returns the set, and the state of each of its files that the caller may read; without a load for those that were never
     * requested
     * @throws 404 when the set does not exist in the namespace or the caller may not read it
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
     * Which of these the caller may still read through the set.
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
     * Finds what a read is about. An evicted version is queued to be loaded again.
     * @throws 404 unless the caller may read the file through the set, or when the version was deleted; 409 with the state of a
     * version that is not loaded; 416
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
     * The bytes of a range in order. Connections take turns, and share the memory of the process by their callers.
     * @throws 409 with its state when the version is evicted meanwhile; it is then queued to be loaded again
     */
    async *segments(
      range: FileRange,
      { caller, connection }: { caller: string; connection: string },
      signal: AbortSignal,
    ): AsyncGenerator<Segment> {
      let used = range.load;
      for (let offset = range.start; offset < range.end; offset += SEGMENT_BYTES) {
        const end = Math.min(offset + SEGMENT_BYTES, range.end);
        // Otherwise a long read would not keep its file from being evicted.
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
