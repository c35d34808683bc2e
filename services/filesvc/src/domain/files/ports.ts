import type { Listing, Paging } from '@dtplatform/contracts';
import type { Scope } from '@dtplatform/permissions';
import type { Draft, File, FileVersion } from './file.js';
import type { UsageChange } from './usage.js';

export interface FileQuery {
  scope: Scope;
  /** Only files that are in all of these folders; `root` for files that are in none. */
  parents?: string[];
  ids?: string[];
  /** Regular expression. */
  name?: string;
  /** The file must have all of them. */
  tags?: string[];
  status?: File['_status'];
}

/** What is in one of the namespaces, below a folder that is moved, must be in the scope. */
export interface MoveLimit {
  namespaces: string[];
  scope: Scope;
}

/** The writes of one change to a file. */
export interface FileChange {
  file: File;
  version?: FileVersion;
  /** Whether previews of the version are to be made. */
  isDrawn?: boolean;
  usage: UsageChange[];
  /** What changes for the versions that the file already has. Called with a bounded number of them at a time. */
  recount?: (versions: FileVersion[]) => UsageChange[];
}

export interface Writing {
  /** Committed at once, and not together with the reply to an idempotency key: more is written for the same request. */
  apart?: boolean;
}

/** Files, folders and versions. Every change is written together with the usage it reports. */
export interface FileStore {
  find(id: string): Promise<File | undefined>;
  findMany(ids: string[]): Promise<File[]>;
  /** Those of the folders that exist, and the files and folders that have one of the names. */
  findPlace(folderIds: string[], nameKeys: string[]): Promise<{ folders: File[]; holders: File[] }>;
  list(query: FileQuery, paging: Paging): Promise<Listing<File>>;
  /** @throws 400 when the name is taken, or when a folder no longer exists */
  create(change: FileChange, writing?: Writing): Promise<void>;
  /**
   * Replaces a file by what `decide` returns for it. `decide` runs again after a write conflict.
   * @returns undefined when the file no longer exists
   * @throws 400 when the new name is taken
   */
  change(id: string, decide: (file: File) => FileChange, writing?: Writing): Promise<File | undefined>;
}

/**
 * Content that does not belong to a file yet, recorded so that none of it is left behind when its process dies. Making it a
 * version removes the draft.
 */
export interface DraftStore {
  add(draft: Pick<Draft, '_id' | 'key'>): Promise<void>;
  setMultipart(id: string, multipartId: string): Promise<void>;
  /** Heartbeat: the content is still arriving. */
  touch(id: string): Promise<void>;
  /**
   * Removes the draft. The worker discards the content.
   * @param abandonedSince only when there was no heartbeat since
   */
  discard(id: string, abandonedSince?: Date): Promise<void>;
  findAbandoned(since: Date, limit: number): Promise<Draft[]>;
}
