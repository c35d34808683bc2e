import type { DetailedError, Upload, UploadOptions as TusOptions } from 'tus-js-client';
import type { Client } from './client.js';
import { makeApiError } from './error-reply.js';
import { ApiError, DtplatformError, NetworkError, TimeoutError, UploadInterruptedError } from './errors.js';
import { messageOf } from './message-of.js';
import { isTemporary, withRetries } from './retry.js';
import { sourceOptions } from './tus-source.js';
import type { Schemas } from './types.js';
import { readable, sizeOf } from './upload-content.js';
import type { ReadableContent, UploadContent } from './upload-content.js';

export type File = Schemas['File'];

export interface UploadOptions {
  /** The file's name. A file of the same name in the same folder gets a new version. */
  name: string;
  content: UploadContent;
  /** The ids of its folders. Defaults to the root. */
  parents?: string[];
  tags?: string[];
  /** Defaults to the client's. */
  namespace?: string;
  /** Such as `sha256:` with the digest, which the platform verifies. */
  checksum?: string;
  /** The id of a file whose upload was interrupted, to resume it. */
  resume?: string;
  /** Called with the id of the file before its content is sent: store it to resume after a crash. */
  onStart?: (fileId: string) => void;
  onProgress?: (progress: { sentBytes: number; totalBytes: number }) => void;
  /** Stops the upload. What was stored is kept and can be resumed. */
  signal?: AbortSignal;
  /** Number of retries without progress. Default 5. */
  retries?: number;
}

type ReadableOptions = UploadOptions & { content: ReadableContent };

const RETRIES = 5;
const STALL_MS = 60_000;
/** Another program writes to the same upload, or its lease has not expired yet. */
const CONFLICTS = [409, 423];

/**
 * Uploads a file in as many attempts as necessary.
 * @throws UploadInterruptedError when it cannot continue now but can be resumed
 * @throws ApiError when the platform rejects it
 */
export async function upload(client: Client, { content, ...given }: UploadOptions): Promise<File> {
  const options = { ...given, content: readable(content) };
  const { signal, retries = RETRIES, onStart } = options;
  const id = options.resume ?? (await initiate(client, options));
  onStart?.(id);
  const query = { nsfilter: options.namespace };
  let [stored, reached] = [0, 0];
  const hasAdvanced = () => {
    const isFurther = stored > reached;
    reached = stored;
    return isFurther;
  };
  const tokens: TokensInUse = {};
  const onStored = (bytes: number) => (stored = Math.max(stored, bytes));
  const work = () => sendContent(client, { ...options, id, tokens, onStored }).catch(refuseToken(tokens));
  try {
    await withRetries(work, { retries, mayRepeat, hasAdvanced, signal });
    return await client.call('filesvc.files.get', { path: { id }, query, signal });
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof ApiError && !mayRepeat(error)) throw error;
    throw new UploadInterruptedError(id, error);
  }
}

const mayRepeat = (error: unknown) =>
  isTemporary(error) || (error instanceof ApiError && (CONFLICTS.includes(error.status) || error.status === 500));

async function initiate(client: Client, options: ReadableOptions): Promise<string> {
  const { name, namespace, parents, tags, checksum = 'none', signal } = options;
  const file = await client.call('filesvc.uploads.initiate', {
    query: { uploadType: 'resumable', nsfilter: namespace },
    body: {
      _name: name,
      _uploadMeta: { _size: sizeOf(options.content), _checksum: checksum },
      ...(parents ? { _parents: parents } : {}),
      ...(tags ? { _tags: tags } : {}),
    },
    signal,
  });
  return (file as File)._id;
}

/** The token of the last request, and the one that the platform rejected. */
interface TokensInUse {
  last?: string;
  rejected?: string;
}

interface Transfer extends ReadableOptions {
  id: string;
  tokens: TokensInUse;
  onStored: (bytes: number) => void;
}

/** Sends what the platform does not have yet, in one attempt. */
async function sendContent(client: Client, { id, tokens, onStored, ...options }: Transfer): Promise<void> {
  const tus = await import('tus-js-client');
  const { namespace, content, onProgress, signal } = options;
  const query = { uploadType: 'resumable' as const, nsfilter: namespace };
  await new Promise<void>((resolve, reject) => {
    const watch = createWatchdog(STALL_MS, () => fail(new TimeoutError(`Nothing was sent for ${STALL_MS / 1000} s.`)));
    const transfer: Upload = new tus.Upload(content as Blob, {
      uploadUrl: client.url('filesvc.uploads.progress', { path: { id }, query }),
      ...{ retryDelays: null, storeFingerprintForResuming: false },
      ...sourceOptions(content),
      ...authorization(client, tokens),
      onAfterResponse: (_, response) => onStored(Number(response.getHeader('Upload-Offset') ?? 0)),
      onProgress(sentBytes, totalBytes) {
        watch.restart();
        onProgress?.({ sentBytes, totalBytes });
      },
      onSuccess: () => {
        leave();
        resolve();
      },
      onError: (error) => fail(errorOf(error)),
    });
    const leave = () => {
      watch.stop();
      signal?.removeEventListener('abort', stop);
    };
    const fail = (error: Error) => {
      leave();
      reject(error);
      // It aborts the request; its promise rejects when there is none.
      transfer.abort().catch(() => undefined);
    };
    const stop = () => fail(signal?.reason as Error);
    signal?.addEventListener('abort', stop, { once: true });
    if (signal?.aborted) stop();
    else transfer.start();
  });
}

/** Each request gets a valid token. */
function authorization({ auth }: Client, tokens: TokensInUse): Pick<TusOptions, 'onBeforeRequest'> {
  return {
    onBeforeRequest: async (request) => {
      if (!auth) return;
      tokens.last = await auth.token({ rejected: tokens.rejected });
      request.setHeader('Authorization', `Bearer ${tokens.last}`);
    },
  };
}

/** The next attempt needs a token other than the rejected one; without one, the upload ends. */
const refuseToken = (tokens: TokensInUse) => (error: unknown) => {
  if (!(error instanceof ApiError) || error.status !== 401 || tokens.last === tokens.rejected) throw error;
  tokens.rejected = tokens.last;
  throw new NetworkError(error.message, { cause: error });
};

function createWatchdog(ms: number, onStall: () => void) {
  let timer = setTimeout(onStall, ms);
  return {
    stop: () => clearTimeout(timer),
    restart() {
      clearTimeout(timer);
      timer = setTimeout(onStall, ms);
    },
  };
}

/** The platform's error inside one of the tus client. */
function errorOf(error: Error): Error {
  const { causingError } = error as Partial<DetailedError>;
  for (const own of [error, causingError]) if (own instanceof DtplatformError) return own;
  const response = (error as Partial<DetailedError>).originalResponse;
  if (!response) return new NetworkError(`The connection was cut: ${messageOf(error)}`, { cause: error });
  const headers = { get: (name: string) => response.getHeader(name) ?? null };
  return makeApiError({ status: response.getStatus(), headers, body: response.getBody() });
}
