import type { Readable } from 'node:stream';
import type { Paging } from '@dtplatform/http';
import type { Scope } from '@dtplatform/permissions';
import type { FileStatus, StoredFile, StoredVersion } from './file.js';
import type { Draft, HeldUpload, PartRecord, Upload } from './uploads/upload.js';
import type { UsageChange } from './usage.js';

export interface FileQuery {
  scope: Scope;
  /** Only what lies in all of these folders; `root` for what lies in none. */
  parents?: string[];
  ids?: string[];
  /** Regular expression. */
  name?: string;
  /** All of them. */
  tags?: string[];
  status?: FileStatus;
}

/** What a change of a file writes. */
export interface FileChange {
  file: StoredFile;
  version?: StoredVersion;
  usage: UsageChange[];
}

/** Files, folders and versions. Usage leaves together with what it tells of. */
export interface FileStore {
  find(id: string): Promise<StoredFile | undefined>;
  findMany(ids: string[]): Promise<StoredFile[]>;
  findByNameKeys(keys: string[]): Promise<StoredFile[]>;
  list(query: FileQuery, paging: Paging): Promise<{ list: StoredFile[]; total: number }>;
  hasChildren(folderId: string): Promise<boolean>;
  /** @throws 400 when the name is taken */
  create(change: FileChange): Promise<void>;
  /**
   * Changes a file by what `decide` makes of it (and of all its versions); it is asked again when another write came between.
   * @throws 400 when the new name is taken; undefined when the file is gone
   */
  change(
    id: string,
    decide: (file: StoredFile, versions: StoredVersion[]) => FileChange,
    options?: { withVersions: boolean },
  ): Promise<StoredFile | undefined>;
  /** Marks a folder, so that it takes in nothing new until a time, or takes the mark away. */
  setRemoving(id: string, untilMs: number | undefined): Promise<void>;
  /**
   * Removes a file with its versions and its unfinished upload; their content is discarded by the worker.
   * @param inspect throws what keeps the file as it is
   */
  remove(id: string, inspect?: (file: StoredFile) => void): Promise<void>;
}

/** Uploads that are under way. Every write of a writer names its fence: a writer that was overtaken writes nothing. */
export interface UploadStore {
  find(id: string): Promise<Upload | undefined>;
  /** Begins the upload of a file that does not exist yet. @throws 400 when the name is taken */
  beginNew(upload: Upload, file: StoredFile): Promise<void>;
  /** Begins an upload of a file in place of the one before. @throws 409 while a writer holds that; undefined when the file is gone */
  beginAgain(upload: Upload): Promise<StoredFile | undefined>;
  /** Takes the lease; undefined when another holds it, or the upload is gone or at another offset. */
  acquire(id: string, offset: number): Promise<HeldUpload | undefined>;
  /**
   * Says that the writer is alive, and keeps its lease for some more seconds where bytes have moved.
   * @returns false when another writer has it
   */
  extend(held: HeldUpload, hasMoved: boolean): Promise<boolean>;
  setMultipart(held: HeldUpload, multipartId: string): Promise<void>;
  /** The bytes up to the end of the part are durable. Parts come in order; the first one takes in the tail. */
  addPart(held: HeldUpload, part: PartRecord, offset: number): Promise<void>;
  /** All parts are there and may be made one object, at any time and more than once. */
  setCompleting(held: HeldUpload, parts: PartRecord[]): Promise<void>;
  /**
   * Ends the lease before the end of the content. The upload is interrupted unless `kept` says otherwise.
   * @param unsettled parts may still arrive at the object store: their numbers are not used again
   * @returns false when the upload was removed or overtaken
   */
  interrupt(
    held: HeldUpload,
    kept: Partial<Pick<Upload, 'status' | 'parts' | 'offset' | 'tail' | 'looseTails'>>,
    unsettled?: boolean,
  ): Promise<boolean>;
  /** Ends the lease and forgets all content: the upload begins anew under another key. */
  restart(held: HeldUpload, key: string): Promise<void>;
  /** Ends the upload: its content is the file's tip. Undefined when the upload was removed or overtaken. */
  commit(
    held: HeldUpload,
    decide: (file: StoredFile, versions: StoredVersion[]) => FileChange,
  ): Promise<StoredFile | undefined>;
  /**
   * Removes an upload, and its file where that has no version yet; the worker discards the content.
   * @param abandonedSince only when it has no writer and nothing moved since
   * @returns false when it is gone
   */
  cancel(upload: Upload, abandonedSince?: Date): Promise<boolean>;
  /** Uploads whose writer ended without a word. */
  findStale(limit: number): Promise<Upload[]>;
  /** Uploads without a writer in which nothing moved since a time. */
  findAbandoned(since: Date, limit: number): Promise<Upload[]>;
}

/** Content that no file has yet, noted so that nothing of it stays behind when its process ends. A new tip takes its draft away. */
export interface DraftStore {
  add(draft: Draft): Promise<void>;
  setMultipart(id: string, multipartId: string): Promise<void>;
  /** The content still moves. */
  touch(id: string): Promise<void>;
  /**
   * The worker discards the content.
   * @param abandonedSince only when nothing moved since
   */
  discard(id: string, abandonedSince?: Date): Promise<void>;
  findAbandoned(since: Date, limit: number): Promise<Draft[]>;
}

/** Objects of the object store. */
export interface ObjectInfo {
  contentType?: string;
  contentEncoding?: string;
}

export interface ObjectBytes {
  stream: Readable;
  length: number;
  size: number;
}

export interface Objects {
  put(key: string, body: Buffer, options?: ObjectInfo): Promise<unknown>;
  get(key: string, options?: { range?: { start: number; end?: number }; signal?: AbortSignal }): Promise<ObjectBytes>;
  delete(key: string): Promise<void>;
  presignGet(key: string, options: ObjectInfo & { expiresInSec: number; filename: string }): Promise<string>;
  multipart: {
    begin(key: string, info?: ObjectInfo): Promise<string>;
    uploadPart(key: string, multipartId: string, partNumber: number, body: Buffer): Promise<{ etag: string }>;
    complete(
      key: string,
      multipartId: string,
      parts: readonly { partNumber: number; etag: string }[],
    ): Promise<unknown>;
  };
}
