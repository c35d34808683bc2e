import type { Readable } from 'node:stream';
import type { KeptLease } from '@dtplatform/lease';
import type { Load, LoadRequest, Version } from './load.js';

/** A file of filesvc that has a complete version. */
export interface SourceFile {
  id: string;
  tipId: string;
  /** Bytes of the tip. */
  size: number;
  isGraphics: boolean;
}

interface Content {
  /** Destroy it unless it was read to the end. */
  stream: Readable;
  contentType?: string;
  contentEncoding?: string;
}

/** Where files come from. Rejects with a 503 AppError while it is unavailable. */
export interface FileSource {
  /**
   * Finds files by id; omits those that are not in the namespace, have no complete version, or may not be read.
   * @param options.token the token to read with; that of this service by default
   */
  find(ids: string[], namespace: string, options?: { token?: string; signal?: AbortSignal }): Promise<SourceFile[]>;
  /** The namespaces of each of these files that exists, whoever may read it. @param namespace that of the call */
  namespacesOf(ids: string[], namespace: string): Promise<Map<string, string[]>>;
  /**
   * A version of a file, whoever may read it, with its bytes; undefined unless the file has it.
   * @param namespace that of the call
   */
  findVersion(version: Version, namespace: string): Promise<{ size: number } | undefined>;
  /** Opens the content of the version. @throws `fileGone` when the file or the version is gone */
  open(load: Load, signal: AbortSignal): Promise<Content>;
}

export interface WantedLoad extends Pick<Load, '_id' | '_fileId' | '_fileVersionId' | '_size'> {
  /** Whether it was requested as the latest version of its file. */
  isLatest: boolean;
}

export interface LoadEnd extends Partial<Pick<Load, '_message' | '_size'>> {
  _status: 'LOADED' | 'SKIPPED' | 'ERROR';
}

/**
 * Where loads are stored. One process at a time holds the lease of a load and works on it. A write of a process that no
 * longer holds it returns false: another process has taken the load over, or it has ended.
 */
export interface LoadStore {
  /** Stores loads and queues those that are neither in progress nor loaded, in one transaction. */
  enqueue(wanted: WantedLoad[], namespace: string): Promise<void>;
  /** Starts a load or takes it over; undefined when it has ended. */
  claim(id: string): Promise<Load | undefined>;
  /** Sends heartbeats while this process works on a load. @param signal ends the work for another reason */
  keep(load: Load, signal: AbortSignal): KeptLease;
  keepMultipart(load: Load, multipartId: string): Promise<boolean>;
  end(load: Load, end: LoadEnd): Promise<boolean>;
  /**
   * Queues a load again whose content is gone. A process that works on it no longer holds it.
   * @returns false when the load is not as it was
   */
  restart(load: Load): Promise<boolean>;
  /** Undefined when the load was removed because its workspace was deleted. */
  statusOf(id: string): Promise<Load['_status'] | undefined>;
  /** The load of a version, or the default one of a file (`defaultsOf`). */
  find(wanted: LoadRequest, first: readonly Load['_status'][]): Promise<Load | undefined>;
  /**
   * For each of these files that has loads, the one that counts where no version is named: that which was last requested as the
   * latest version, else the last requested.
   * @param first statuses of loads that come before all others, as do those that are being loaded again
   */
  defaultsOf(fileIds: string[], first: readonly Load['_status'][]): Promise<Load[]>;
  /**
   * Records that a load is used now, to the minute: what was not used for long is evicted first.
   * @returns the load with the time of its use; pass it to the next call
   */
  touch(load: Load): Promise<Load>;
  /** Loads that have ended and may have left an unfinished multipart upload behind. */
  findLeftovers(limit: number): Promise<Load[]>;
  /** Records that the multipart upload of such a load is gone. */
  forgetMultipart(load: Load): Promise<void>;
}

export interface WriteRequest {
  key: string;
  content: Content;
  /** The expected bytes of the content. */
  size: number;
  /** Called before the first part is sent, so that the upload can be found after a crash. A rejection stops the write. */
  onMultipart: (multipartId: string) => Promise<void>;
  signal: AbortSignal;
}

/** Where the bytes of loaded files are stored. */
export interface FileCache {
  /**
   * Streams content into an object, with at most two parts in memory. Replaces the object atomically.
   * @throws when the content does not have the expected size
   */
  write(request: WriteRequest): Promise<void>;
  /** Aborts an abandoned multipart upload. */
  discard(key: string, multipartId: string): Promise<void>;
  /** Bytes of a loaded version, both ends inclusive; undefined when its content is gone. */
  read(version: Version, range: { start: number; end: number }, signal: AbortSignal): Promise<Buffer | undefined>;
  /** Removes all content of a load that has ended. */
  remove(load: Load): Promise<void>;
}

/** Which loaded versions are removed to make room. */
export interface EvictionStore {
  totalBytes(): Promise<number>;
  leastRecentlyUsed(limit: number): Promise<Load[]>;
  /** Ends a loaded version as EVICTED. @returns false when it was used or changed meanwhile */
  evict(load: Load): Promise<boolean>;
  /** Takes an eviction back whose object could not be removed. */
  keep(load: Load): Promise<void>;
  /** Queues a load again that was requested while its object was removed. */
  restartUnlessEvicted(id: string): Promise<void>;
}
