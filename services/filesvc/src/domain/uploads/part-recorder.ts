import type { Objects, UploadStore } from '../ports.js';
import { MAX_UNNOTED } from './upload.js';
import type { HeldUpload, PartRecord } from './upload.js';

/**
 * Makes parts durable and notes them, in their order, however they overtake each other on their way. Noting goes on while
 * the next parts are under way.
 */
export interface PartRecorder {
  /** Resolves when the part is stored. */
  send(bytes: Buffer): Promise<void>;
  /** Resolves when all parts that were sent are noted. @throws when one could not be */
  settle(): Promise<void>;
  /** All parts of the upload so far. */
  readonly parts: PartRecord[];
  /** Bytes in them. */
  readonly offset: number;
  readonly nextPartNumber: number;
  /** There once a part was sent. */
  readonly multipartId: string | undefined;
  /** Stores the last part, where there is one, without noting it: it counts when the upload is complete. Gives all parts. */
  storeLast(bytes: Buffer): Promise<PartRecord[]>;
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
  /** The notings of the last parts, in order; the first of all is that of the multipart upload itself. */
  const notings: Promise<void>[] = [];

  const noteNext = (noting: Promise<void>) => {
    // A failure is heard of by the part after it, and by `settle`.
    noting.catch(() => undefined);
    notings.push(noting);
    if (notings.length > MAX_UNNOTED) void notings.shift();
  };

  function begin(): Promise<string> {
    const begun = objects.multipart.begin(key, { contentType, contentEncoding });
    noteNext(begun.then((id) => uploads.setMultipart(held, id)));
    return begun.then((id) => (multipartId = id));
  }

  async function store(partNumber: number, bytes: Buffer, turn: Promise<void> | undefined): Promise<PartRecord> {
    const target = multipartId ?? (await (beginning ??= begin()));
    await turn;
    const { etag } = await objects.multipart.uploadPart(key, target, partNumber, bytes);
    return { partNumber, etag, size: bytes.length };
  }

  async function note(stored: Promise<PartRecord>, before: Promise<void> | undefined): Promise<void> {
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
    async send(bytes) {
      const stored = store(nextPartNumber++, bytes, notings.at(-MAX_UNNOTED));
      noteNext(note(stored, notings.at(-1)));
      await stored;
    },
    settle: async () => notings.at(-1),
    async storeLast(bytes) {
      const last = bytes.length > 0 ? [await store(nextPartNumber++, bytes, undefined)] : [];
      await notings.at(-1);
      return [...parts, ...last];
    },
  };
}
