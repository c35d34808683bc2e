import { commonErrors } from '@dtplatform/errors';
import { currentBounds } from '@dtplatform/telemetry';
import { countValues } from './count-values.js';
import { BSON } from './driver.js';
import type { Collection } from './driver.js';
import { queryLimits } from './query-limits.js';
import { readReply } from './read-reply.js';
import { IF_SMALL, isLeftOut, SMALL_BYTES } from './small-documents.js';

/** The most that one reply of the server holds. */
const MAX_REPLY_BYTES = 16 * 1024 * 1024;
/** What a value takes in JavaScript, besides its text. */
const VALUE_BYTES = 60;

/**
 * All documents of an aggregation, in one round trip. A reply of the server holds 16 MiB: where the documents have more, the
 * rest stays on the server, and those that came are not even decoded.
 *
 * Within a request, a page takes memory of the process (docs/adr/0027), and waits for it if it may be large: for the most
 * that the reply can hold, until it is known what it holds. Most documents are small, so large ones are left out at first, and
 * there is a second round trip if there are any.
 * @param maxDocuments the most that the aggregation can find
 * @throws 400 `PAGE_TOO_LARGE`
 */
export const onePage = async <T extends object>(
  collection: Collection,
  pipeline: object[],
  maxDocuments: number,
): Promise<T[]> => decoded(await encodedPage(collection, pipeline, maxDocuments));

/** `onePage` in BSON. Waiting with encoded documents costs the garbage collector less than waiting with objects. */
export async function encodedPage(
  collection: Collection,
  pipeline: object[],
  maxDocuments: number,
): Promise<Uint8Array[]> {
  const smallBytes = maxDocuments * SMALL_BYTES;
  const small =
    smallBytes < MAX_REPLY_BYTES ? await read(collection, [...pipeline, IF_SMALL], 'small', smallBytes) : undefined;
  return small ?? largePage(collection, pipeline);
}

/** A page that may hold large documents, in BSON. */
export const largePage = async (collection: Collection, pipeline: object[]): Promise<Uint8Array[]> =>
  (await read(collection, pipeline, 'large', MAX_REPLY_BYTES))!;

/** What documents take once they are decoded, roughly. */
function decodedBytes(documents: Uint8Array[]): number {
  const bytes = documents.reduce((sum, { length }) => sum + length, 0);
  if (bytes <= SMALL_BYTES) return bytes;
  return documents.reduce((sum, document) => sum + countValues(document) * VALUE_BYTES, bytes);
}

/** The services store valid UTF-8 only, so checking each text again would only cost time. */
const UNCHECKED = { validation: { utf8: false } };

export const decoded = <T>(documents: Uint8Array[]): T[] =>
  documents.map((document) => BSON.deserialize(document, UNCHECKED) as T);

/** Undefined if a document was left out. */
async function read(
  collection: Collection,
  pipeline: object[],
  kind: 'small' | 'large',
  maxBytes: number,
): Promise<Uint8Array[] | undefined> {
  const share = await currentBounds()?.memory?.reserve(kind, maxBytes);
  let bytes: number;
  try {
    const { documents, isPart } = await readReply(collection, pipeline, queryLimits());
    if (isPart) throw commonErrors.pageTooLarge();
    if (documents.some(isLeftOut)) return undefined;
    bytes = decodedBytes(documents);
    if (!share || (await share.keep(bytes))) return documents;
  } finally {
    share?.release();
  }
  // It waits for as much as it needs, holding nothing.
  return read(collection, pipeline, 'large', bytes);
}
