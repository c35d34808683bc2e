import type { Client } from './client.js';
import { ContentChangedError, NetworkError } from './errors.js';
import { withRetries } from './retry.js';
import { chunksOf } from './stream.js';

export interface DownloadOptions {
  /** The id of the file. */
  id: string;
  /** A version of it. Defaults to the tip. */
  versionId?: string;
  /** Defaults to the client's. */
  namespace?: string;
  onProgress?: (progress: { receivedBytes: number; totalBytes: number }) => void;
  signal?: AbortSignal;
  /** Number of retries without progress. Default 5. */
  retries?: number;
}

/** Where a download starts. */
export interface Start {
  at: number;
  /** The expected ETag of the content. */
  etag?: string;
}

/** Content that is being downloaded. */
export interface Content {
  etag: string;
  /** The media type. */
  type: string;
  /** In bytes; 0 if the platform does not send it. */
  size: number;
  chunks: AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined>;
}

const RETRIES = 5;
const STALL_MS = 60_000;

/** Downloads content. Resumes a broken connection as long as the content is unchanged. */
export async function openContent(
  client: Client,
  options: DownloadOptions,
  start: Start = { at: 0 },
): Promise<Content> {
  const response = await openAt(client, options, start);
  const etag = response.headers.get('etag') ?? '';
  const type = response.headers.get('content-type') ?? '';
  const size = start.at + Number(response.headers.get('content-length') ?? 0);
  // For content that the browser decodes, neither length nor positions are known.
  const isEncoded = response.headers.has('content-encoding');
  const state = { at: start.at, etag: isEncoded ? undefined : etag, size: isEncoded ? 0 : size };
  return { etag, type, size: state.size, chunks: readAll(client, options, response, state) };
}

async function* readAll(client: Client, options: DownloadOptions, first: Response, state: Start & { size: number }) {
  const { onProgress, signal, retries = RETRIES } = options;
  let response: Response | undefined = first;
  let withoutProgress = 0;
  for (;;) {
    const before = state.at;
    try {
      if (response.body)
        for await (const bytes of chunksOf(response.body, STALL_MS, signal)) {
          state.at += bytes.byteLength;
          yield bytes as Uint8Array<ArrayBuffer>;
          onProgress?.({ receivedBytes: state.at, totalBytes: state.size });
        }
      if (state.size === 0 || state.at === state.size) return;
      throw new NetworkError(`The connection was cut after ${state.at} of ${state.size} bytes.`);
    } catch (error) {
      if (!(error instanceof NetworkError) || state.etag === undefined || retries === 0) throw error;
      withoutProgress = state.at === before ? withoutProgress + 1 : 0;
      if (withoutProgress > retries) throw error;
    }
    const again = () => openAt(client, { ...options, retries: 0 }, state);
    response = await withRetries(again, { retries, signal });
  }
}

/**
 * Opens the content at an offset. `If-Range` makes the platform send all of it if it has changed (RFC 9110, section
 * 13.1.5).
 */
async function openAt(client: Client, options: DownloadOptions, { at, etag }: Start): Promise<Response> {
  const { id, versionId, namespace, signal } = options;
  const query = { nsfilter: namespace };
  const url =
    versionId === undefined
      ? client.url('filesvc.content.get', { path: { id }, query })
      : client.url('filesvc.fileVersions.content', { path: { id, versionId }, query });
  const range: Record<string, string> = at === 0 ? {} : { Range: `bytes=${at}-`, 'If-Range': etag ?? '' };
  const response = await client.open(url, { headers: range, signal, retries: options.retries });
  if (at > 0 && response.status !== 206) {
    await response.body?.cancel();
    throw new ContentChangedError('The content of the file changed during the download.');
  }
  return response;
}

export interface Download {
  /** The media type. */
  type: string;
  /** In bytes; 0 if the platform does not send it. */
  size: number;
  stream: ReadableStream<Uint8Array<ArrayBuffer>>;
}

/** Downloads a file as a stream with back-pressure. */
export async function downloadStream(client: Client, options: DownloadOptions): Promise<Download> {
  const { type, size, chunks } = await openContent(client, options);
  const stream = new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      async pull(controller) {
        const { done, value } = await chunks.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: () => chunks.return().then(() => undefined),
    },
    { highWaterMark: 0 },
  );
  return { type, size, stream };
}

/** Downloads a file into a Blob. */
export async function downloadBlob(client: Client, options: DownloadOptions): Promise<Blob> {
  const { type, chunks } = await openContent(client, options);
  const parts: Uint8Array<ArrayBuffer>[] = [];
  for await (const bytes of chunks) parts.push(bytes);
  return new Blob(parts, { type });
}
