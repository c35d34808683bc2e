import type { Readable } from 'node:stream';
import { errors } from '../../errors.js';
import type { ObjectInfo, Objects } from '../ports.js';
import type { PartBuffers } from './part-buffers.js';
import { sendParts } from './send-parts.js';
import { MAX_PARTS } from './upload.js';

interface Stores {
  objects: Objects;
  buffers: PartBuffers;
}

interface Incoming {
  key: string;
  body: Readable;
  info: ObjectInfo;
  partBytes: number;
  maxBytes: number;
  /** Called before the first part is sent. */
  onMultipart: (multipartId: string) => Promise<void>;
  /** Called after each part. */
  onPart: () => Promise<void>;
}

/**
 * Streams content of unknown length into one object: in parts, or at once when it fills no whole part.
 * @returns its bytes
 * @throws 413 when it is too long, 400 when it was cut off
 */
export async function writeContent({ objects, buffers }: Stores, incoming: Incoming): Promise<number> {
  const { key, body, info, partBytes, onMultipart, onPart } = incoming;
  const maxBytes = Math.min(incoming.maxBytes, partBytes * MAX_PARTS);
  const parts: { partNumber: number; etag: string }[] = [];
  let multipart: Promise<string> | undefined;
  let sent = 0;

  async function begin(): Promise<string> {
    const multipartId = await objects.multipart.begin(key, info);
    await onMultipart(multipartId);
    return multipartId;
  }
  async function send(bytes: Buffer): Promise<void> {
    const partNumber = ++sent;
    const multipartId = await (multipart ??= begin());
    const { etag } = await objects.multipart.uploadPart(key, multipartId, partNumber, bytes);
    parts[partNumber - 1] = { partNumber, etag };
    await onPart();
  }

  return sendParts({ body, partBytes, maxBytes, send, buffers }, async ({ total, rest, end }) => {
    if (end === 'cut') throw errors.uploadCut();
    if (end === 'too-long') throw errors.fileTooLarge();
    if (!multipart) await objects.put(key, rest, info);
    else {
      if (rest.length > 0) await send(rest);
      await objects.multipart.complete(key, await multipart, parts);
    }
    return total;
  });
}
