/** EVICTED: it was loaded and has made room for others. */
export const LOAD_STATUSES = ['QUEUED', 'LOADING', 'LOADED', 'SKIPPED', 'ERROR', 'EVICTED'] as const;
export type LoadStatus = (typeof LOAD_STATUSES)[number];

/** What processes that work on a load need to know; not for callers. */
interface LoadWork {
  /** The namespace of the call that asked for it. */
  namespace: string;
  /** How often it was put into the queue for a caller. */
  requests: number;
  /** How often a process began to work on it since then. */
  claims: number;
  /** Whoever holds it may write; it changes with every process that takes the load over. */
  claim?: string;
  /** When to look whether the load got lost. Absent once it has ended. */
  checkAt?: number;
  /** The unfinished upload of the process that works on it, or that was killed while it did. */
  multipartId?: string;
}

/** A version of a graphics file on its way into the store, or in it. */
export interface Load {
  /** `<file id>-<version id>` */
  _id: string;
  _fileId: string;
  _fileVersionId: string;
  _status: LoadStatus;
  /** Bytes of the version. */
  _size: number;
  /** Why it is SKIPPED or an ERROR; otherwise empty. */
  _message: string;
  /** When it was asked for last, in milliseconds since 1970. */
  _requestedAt: number;
  _updatedAt: number;
  _work: LoadWork;
}

export const loadId = (fileId: string, fileVersionId: string): string => `${fileId}-${fileVersionId}`;

/** Where the bytes of a version are in the store. */
export const objectKey = ({ _fileId, _fileVersionId }: Pick<Load, '_fileId' | '_fileVersionId'>): string =>
  `files/${_fileId}/${_fileVersionId}`;
