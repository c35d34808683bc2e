import { isRejection } from '@dtplatform/errors';
import type { Access } from '@dtplatform/permissions';
import { errors } from '../errors.js';
import type { Version } from '../filestore/load.js';
import type { FileStreams, Segment } from './file-streams.js';
import type { ReadFile, ServerMessage } from './messages.http.js';
import { framesOf } from './socket-writer.http.js';
import type { SocketWriter } from './socket-writer.http.js';
import type { OpenFileSet } from './stream-rights.js';

/** Concurrent reads of one connection. */
export const MAX_READS = 8;

interface Read {
  fileId: string;
  version?: Version;
  opened: OpenFileSet;
  ending: AbortController;
  done: Promise<void>;
}

interface Deps {
  streams: FileStreams;
  connection: string;
  writer: SocketWriter;
  /**
   * The current access of the caller.
   * @throws 401 when the token is no longer valid
   */
  openAccess: () => Promise<Access>;
  respond: (message: ServerMessage) => Promise<void>;
  fail: (error: unknown, requestId: number) => Promise<void>;
  onBytes: (bytes: number) => void;
  /** How long the peer may take to accept one segment. */
  segmentMs: number;
  /** Called when it takes longer. Must end all reads. */
  onSlow: () => void;
}

export function createStreamReads(deps: Deps) {
  const { streams, connection, writer, openAccess, respond, fail, onBytes, segmentMs, onSlow } = deps;
  const reads = new Map<number, Read>();

  /** A segment is in memory until the peer has accepted all of it. */
  async function sendSegment(requestId: number, { offset, bytes }: Segment, signal: AbortSignal): Promise<void> {
    const limit = setTimeout(onSlow, segmentMs);
    try {
      for (const frame of framesOf(requestId, offset, bytes)) {
        signal.throwIfAborted();
        await writer.send(frame, signal);
        onBytes(frame.length);
      }
    } finally {
      clearTimeout(limit);
    }
  }

  async function send({ requestId, ...request }: ReadFile, read: Read): Promise<void> {
    const { signal } = read.ending;
    const access = await openAccess();
    const range = await streams.find(read.opened, request, access);
    const { load, start, end } = range;
    read.version = load;
    const { _fileId: fileId, _fileVersionId: fileVersionId, _size: size } = load;
    signal.throwIfAborted();
    await respond({ type: 'header', requestId, fileId, fileVersionId, size, offset: start, length: end - start });
    const turns = { caller: access.principal.id, connection };
    for await (const segment of streams.segments(range, turns, signal)) await sendSegment(requestId, segment, signal);
    signal.throwIfAborted();
    await respond({ type: 'end', requestId });
  }

  async function run(request: ReadFile, read: Read): Promise<void> {
    const { signal } = read.ending;
    try {
      await send(request, read);
    } catch (error) {
      await fail(signal.aborted ? signal.reason : error, request.requestId);
    } finally {
      reads.delete(request.requestId);
    }
  }

  return {
    get size() {
      return reads.size;
    },
    /**
     * Starts a read, which continues after the call.
     * @throws when it cannot start
     */
    start(request: ReadFile, opened: OpenFileSet | undefined): void {
      if (!opened) throw errors.noFileSetOpen();
      if (reads.has(request.requestId)) throw errors.requestIdInUse();
      if (reads.size >= MAX_READS) throw errors.tooManyReads();
      const ending = new AbortController();
      const read: Read = { fileId: request.fileId, opened, ending, done: Promise.resolve() };
      reads.set(request.requestId, read);
      read.done = run(request, read);
    },
    cancel: (requestId: number): void => reads.get(requestId)?.ending.abort(errors.cancelled()),
    /**
     * Ends the reads that are no longer permitted.
     * @throws when permissions cannot be determined
     */
    async checkRights(access: Access): Promise<void> {
      const bySet = new Map<OpenFileSet, Read[]>();
      for (const read of reads.values()) bySet.set(read.opened, [...(bySet.get(read.opened) ?? []), read]);
      for (const [opened, list] of bySet) {
        const permitted = await streams.readable(opened, list, access).catch(noneIfMissing);
        for (const read of list) if (!permitted.has(read)) read.ending.abort(errors.fileNotFound());
      }
    },
    /**
     * Ends all reads.
     * @param reason reported in their last messages
     */
    abort(reason: unknown): void {
      for (const { ending } of reads.values()) ending.abort(reason);
    },
    /** Resolves when the current reads have ended. */
    settle: async (): Promise<void> => void (await Promise.allSettled([...reads.values()].map(({ done }) => done))),
  };
}

/** A file set that is gone or no longer readable ends only the reads through it. */
function noneIfMissing(error: unknown): Set<Read> {
  if (isRejection(error) && error.status === 404) return new Set();
  throw error;
}
