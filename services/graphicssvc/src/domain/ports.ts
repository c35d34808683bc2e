import type { Readable } from 'node:stream';
import type { Load } from './load.js';

/** A file of filesvc that has a complete version. */
export interface SourceFile {
  id: string;
  tipId: string;
  /** Bytes of the tip. */
  size: number;
  isGraphics: boolean;
}

interface Content {
  /** Destroy it when it is not read to its end. */
  stream: Readable;
  contentType?: string;
  contentEncoding?: string;
}

/** Where files come from. Throws a 503 AppError while it is away. */
export interface FileSource {
  /**
   * Those of the files that are in the namespace, have a complete version, and may be read.
   * @param options.token whose rights count; the service's own by default
   */
  find(ids: string[], namespace: string, options?: { token?: string; signal?: AbortSignal }): Promise<SourceFile[]>;
  /** Opens the content of a file. @throws `notTheLatest` unless the version is the tip, `fileGone` when there is none */
  open(load: Load, signal: AbortSignal): Promise<Content>;
}

export interface WantedLoad {
  fileId: string;
  fileVersionId: string;
  size: number;
}

export interface LoadEnd {
  status: 'LOADED' | 'SKIPPED' | 'ERROR';
  message?: string;
  size?: number;
}

/** Where loads are kept. Only who holds a load's claim may write to it: `false` means that it was taken away, or has ended. */
export interface LoadStore {
  /** Keeps loads and puts those into the queue that are neither on their way nor loaded, all or none. */
  enqueue(wanted: WantedLoad[], namespace: string): Promise<void>;
  /** Begins or takes over a load; undefined when it has ended. */
  claim(id: string): Promise<Load | undefined>;
  heartbeat(load: Load): Promise<boolean>;
  keepMultipart(load: Load, multipartId: string): Promise<boolean>;
  end(load: Load, end: LoadEnd): Promise<boolean>;
  /** The load of a file that was asked for last, or that of a version. */
  latest(fileId: string, fileVersionId?: string): Promise<Load | undefined>;
}

export interface WriteRequest {
  key: string;
  content: Content;
  /** Bytes that the content must have. */
  size: number;
  /** Told before the first part is sent, so that an upload whose process is killed can be found. Throws to stop. */
  onMultipart: (multipartId: string) => Promise<void>;
  signal: AbortSignal;
}

/** Where the bytes of loaded files are. */
export interface FileCache {
  /**
   * Streams content into an object, with two parts in memory at most. The object is there whole or not at all; one that is
   * there is replaced.
   * @throws when the content is not of the given size
   */
  write(request: WriteRequest): Promise<void>;
  /** Drops the parts of an upload that nobody goes on with. */
  discard(key: string, multipartId: string): Promise<void>;
}
