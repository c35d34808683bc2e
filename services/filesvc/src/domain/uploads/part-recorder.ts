import type { Objects, UploadStore } from '../ports.js';
import type { HeldUpload, PartRecord } from './upload.js';

/** Makes parts durable and notes them, in their order, however they overtake each other on their way. */
export interface PartRecorder {
  send(bytes: Buffer): Promise<void>;
  /** All parts of the upload so far. */
  readonly parts: PartRecord[];
  /** Bytes in them. */
  readonly offset: number;
  readonly nextPartNumber: number;
  /** There once a part was sent. */
  readonly multipartId: string | undefined;
  /** Stores the last part without noting it: it counts when the upload is complete. */
  sendLast(bytes: Buffer): Promise<PartRecord[]>;
}

export function createPartRecorder(
  deps: { uploads: Pick<UploadStore, 'setMultipart' | 'addPart'>; objects: Pick<Objects, 'multipart'> },
  held: HeldUpload,
): PartRecorder {
  const { uploads, objects } = deps;
  const { key, contentType, contentEncoding } = held;
  const parts = [...held.parts];
  let offset = held.offset - (held.tail?.size ?? 0);
  let nextPartNumber = held.nextPartNumber;
  let { multipartId } = held;
  let beginning: Promise<string> | undefined;
  let noted: Promise<unknown> = Promise.resolve();

  async function begin(): Promise<string> {
    const begun = await objects.multipart.begin(key, { contentType, contentEncoding });
    await uploads.setMultipart(held, begun);
    return (multipartId = begun);
  }

  async function store(bytes: Buffer): Promise<PartRecord> {
    const partNumber = nextPartNumber++;
    const target = multipartId ?? (await (beginning ??= begin()));
    const { etag } = await objects.multipart.uploadPart(key, target, partNumber, bytes);
    return { partNumber, etag, size: bytes.length };
  }

  async function note(stored: Promise<PartRecord>, before: Promise<unknown>): Promise<void> {
    const part = await stored;
    await before;
    await uploads.addPart(held, part, offset + part.size);
    offset += part.size;
    parts.push(part);
  }

  return {
    parts,
    get offset() {
      return offset;
    },
    get nextPartNumber() {
      return nextPartNumber;
    },
    get multipartId() {
      return multipartId;
    },
    send(bytes) {
      const noting = note(store(bytes), noted);
      noted = noting;
      // The caller hears of it, and so does the part after it; nobody may wait for the last one.
      noting.catch(() => undefined);
      return noting;
    },
    async sendLast(bytes) {
      const last = bytes.length > 0 ? [await store(bytes)] : [];
      await noted;
      return [...parts, ...last];
    },
  };
}
