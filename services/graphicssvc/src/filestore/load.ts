import type { Readable } from 'node:stream';
import { z } from 'zod';
import { ResourceId } from '@dtplatform/contracts';

const LoadWork = z.object({
  /** The namespace of the call that requested it. */
  namespace: z.string(),
  requests: z.int(),
  lease: z.object({ fence: z.int(), until: z.date().optional() }),
  /** The fence at the last request, from which starts are counted. */
  firstFence: z.int(),
  /** The unfinished multipart upload of the current or a crashed process. */
  multipartId: z.string().optional(),
  /** When it was last requested as the latest version of its file, if ever. */
  latestAt: z.number().optional(),
  wasLoaded: z.boolean().optional(),
  /** When it was last requested or read, in milliseconds since 1970. */
  usedAt: z.number(),
});

/** A version of a graphics file. `_work` never leaves this service. */
export const Load = z.object({
  /** `<file id>-<version id>` */
  _id: z.string(),
  _fileId: ResourceId.describe('The id of the file.'),
  _fileVersionId: ResourceId.describe('The id of the version that was requested.'),
  _status: z
    .enum(['QUEUED', 'LOADING', 'LOADED', 'SKIPPED', 'ERROR', 'EVICTED'])
    .describe(
      'The status of the load: `SKIPPED` for a file that is not tagged as a graphics file, `EVICTED` for a file that was removed to make room for others or because it was unused for long.',
    ),
  _size: z.number().describe('The length of the version in bytes; 0 until it is known.'),
  _message: z.string().describe('Why the status is `SKIPPED` or `ERROR`; empty for all others.'),
  /** When it was last requested, in milliseconds since 1970. */
  _requestedAt: z.number(),
  _updatedAt: z.number(),
  _work: LoadWork,
});
export type Load = z.infer<typeof Load>;

/**
 * Statuses that reads prefer when no version is named: a failed newer load does not displace them. Loads that are being
 * reloaded count, too (`wasLoaded`): otherwise a reader would get an older version during the reload.
 */
export const READABLE: readonly Load['_status'][] = ['LOADED', 'EVICTED'];
/** Statuses preferred by status queries, which show the progress of a newer version. */
export const NOT_FAILED: readonly Load['_status'][] = [...READABLE, 'QUEUED', 'LOADING'];

export const ShownLoad = Load.omit({ _id: true, _requestedAt: true, _updatedAt: true, _work: true }).meta({
  id: 'Load',
  description: 'A version of a graphics file, loaded or to be loaded into the store.',
});
export const showLoad = ({ _id, _requestedAt, _updatedAt, _work, ...shown }: Load): z.infer<typeof ShownLoad> => shown;

/** Possibly malformed. */
export const RequestedId = z.string().min(1).max(128);
/** Ids may be malformed: such files do not exist, which is a 404 and not a 400. */
export const LoadRequest = z
  .object({
    _fileId: RequestedId.describe('The id of the file.'),
    _fileVersionId: RequestedId.optional().describe('The id of the version; the latest by default.'),
  })
  .meta({ id: 'LoadRequest', description: 'A file to load into the store.' });
export type LoadRequest = z.infer<typeof LoadRequest>;

export const loadId = (fileId: string, fileVersionId: string): string => `${fileId}-${fileVersionId}`;

export type Version = Pick<Load, '_fileId' | '_fileVersionId'>;

export const objectKey = ({ _fileId, _fileVersionId }: Version): string => `files/${_fileId}/${_fileVersionId}`;

export const UNENDED: Load['_status'][] = ['QUEUED', 'LOADING'];

export interface SourceFile {
  id: string;
  tipId: string;
  /** Bytes of the tip. */
  size: number;
  isGraphics: boolean;
}

export interface Content {
  /** Destroy it unless it was read to the end. */
  stream: Readable;
  contentType?: string;
  contentEncoding?: string;
}

export interface WantedLoad extends Pick<Load, '_id' | '_fileId' | '_fileVersionId' | '_size'> {
  /** Whether it was requested as the latest version of its file. */
  isLatest: boolean;
}

export interface LoadEnd extends Partial<Pick<Load, '_message' | '_size'>> {
  _status: 'LOADED' | 'SKIPPED' | 'ERROR';
}

export interface WriteRequest {
  key: string;
  content: Content;
  /** Expected bytes. */
  size: number;
  /** Runs before the first part is sent, so that the upload can be found after a crash. A rejection stops the write. */
  onMultipart: (multipartId: string) => Promise<void>;
  signal: AbortSignal;
}
