import type { Readable } from 'node:stream';
import type { Multipart, UploadedPart } from './multipart.js';
import type { ObjectInfo, Objects } from './objects.js';
import { MAX_PARTS, partBytesFor } from './part-buffers.js';
import type { PartBuffers } from './part-buffers.js';
import { sendParts } from './send-parts.js';
import type { SentParts } from './send-parts.js';

export interface PutStreamOptions extends ObjectInfo {
  /** Upper bound of the size, if known: it determines the size of parts and buffers. */
  expectedBytes?: number;
  /** Buffers are given to callers in turn. */
  caller: string;
  /** Limit of the body's size. */
  maxBytes: number;
  /** Checks the received body before the object is created. Throw to prevent that. */
  verify: (received: SentParts) => void;
  /**
   * Called before the first part is sent, so that the upload can be aborted even if this process dies. Throw to stop.
   */
  onMultipart: (uploadId: string) => Promise<void>;
  /** Called after each part. */
  onPart?: () => Promise<void>;
  signal?: AbortSignal;
}

interface Deps {
  objects: Pick<Objects, 'put'>;
  multipart: Multipart;
  buffers: PartBuffers;
}

/**
 * Streams a body of unknown length into one object: in parts, or with a single `put` if it fits into one part. Holds at
 * most two parts in memory, within the budget of the process, and applies back-pressure to the body. The object is
 * stored whole or not at all: an unfinished multipart upload is aborted once its parts have settled. Does not destroy
 * the body.
 * @returns the number of bytes
 * @throws the error of `verify` or of a callback
 */
export async function putStream(
  { objects, multipart, buffers }: Deps,
  key: string,
  body: Readable,
  options: PutStreamOptions,
): Promise<number> {
  const { verify, onMultipart, onPart, signal, contentType, contentEncoding, caller } = options;
  const { expectedBytes } = options;
  const partBytes = partBytesFor(expectedBytes ?? 0);
  const info: ObjectInfo = { contentType, contentEncoding };
  const parts: UploadedPart[] = [];
  let sent = 0;
  let uploadId: string | undefined;
  let beginning: Promise<string> | undefined;

  async function begin(): Promise<string> {
    uploadId = await multipart.begin(key, info);
    await onMultipart(uploadId);
    return uploadId;
  }
  async function send(bytes: Buffer): Promise<void> {
    const partNumber = ++sent;
    const target = await (beginning ??= begin());
    const { etag } = await multipart.uploadPart(key, target, partNumber, bytes, { signal });
    parts[partNumber - 1] = { partNumber, etag };
    await onPart?.();
  }
  async function finish(received: SentParts): Promise<number> {
    const { rest } = received;
    verify(received);
    if (!beginning) await objects.put(key, rest, { ...info, signal });
    else {
      if (rest.length > 0) await send(rest);
      await multipart.complete(key, await beginning, parts);
    }
    return received.total;
  }

  try {
    const maxBytes = Math.min(options.maxBytes, expectedBytes ?? Infinity, partBytes * MAX_PARTS);
    return await sendParts({ body, partBytes, maxBytes, caller, send, buffers }, finish);
  } catch (error) {
    if (uploadId !== undefined) await multipart.abort(key, uploadId).catch(() => undefined);
    throw error;
  }
}
