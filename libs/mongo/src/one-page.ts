import { commonErrors } from '@dtplatform/errors';
import { currentBounds } from '@dtplatform/telemetry';
import type { CallBounds } from '@dtplatform/telemetry';
import { BSON } from './driver.js';
import type { Collection } from './driver.js';

/** The most that one response of the server holds. */
const MAX_REPLY_BYTES = 16 * 1024 * 1024;
/** What a value takes in JavaScript, besides its text. */
const VALUE_BYTES = 60;

/**
 * All documents of an aggregation, in one round trip. A response of the server holds 16 MiB: where the documents have more, the
 * rest stays on the server, and those that came are not even decoded.
 *
 * Within a request, a page takes memory of the process (docs/adr/0027), and waits for it if it may be large: for the most
 * that the response can hold, until it is known what it holds. Most documents are small, so large ones are left out at first, and
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
    const { documents, isPart } = await readResponse(collection, pipeline, queryLimits());
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

/** More than there are documents in any response. */
const BATCH_SIZE = 100_000;

/** What one response of the server holds. */
interface FirstResponse {
  /** In BSON: they stay encoded until it is known how large they are. */
  documents: Uint8Array[];
  /** Whether there are more, which did not fit. */
  isPart: boolean;
}

/** The server's first response to an aggregation. Whatever does not fit stays on the server. */
export async function readResponse(
  collection: Collection,
  pipeline: object[],
  limits: Partial<QueryLimits> = {},
): Promise<FirstResponse> {
  const cursor = collection.aggregate(pipeline, { ...limits, raw: true, batchSize: BATCH_SIZE });
  await cursor.hasNext();
  const documents = cursor.readBufferedDocuments() as Uint8Array[];
  const isPart = cursor.id !== undefined && !cursor.id.isZero();
  if (isPart) await cursor.close();
  return { documents, isPart };
}

/** Hardly a document is larger. */
const SMALL_BYTES = 32 * 1024;

/** Stands for a larger document. No caller can store a MinKey. */
const LEFT_OUT = { large: new BSON.MinKey() };
const ENCODED = Buffer.from(BSON.serialize(LEFT_OUT));

/** The last stage of an aggregation that leaves large documents out. */
export const IF_SMALL = {
  $replaceWith: { $cond: [{ $lte: [{ $bsonSize: '$$ROOT' }, SMALL_BYTES] }, '$$ROOT', { $literal: LEFT_OUT }] },
};

/** Whether a document, in BSON, stands for a large one. */
export const isLeftOut = (document: Uint8Array): boolean => ENCODED.equals(document);

/** Bytes of a value by its type (bsonspec.org); strings, documents and others state their length. */
const FIXED = new Map([
  [0x01, 8], // double
  [0x06, 0], // undefined
  [0x07, 12], // ObjectId
  [0x08, 1], // boolean
  [0x09, 8], // date
  [0x0a, 0], // null
  [0x10, 4], // 32-bit integer
  [0x11, 8], // timestamp
  [0x12, 8], // 64-bit integer
  [0x13, 16], // decimal
  [0x7f, 0], // MaxKey
  [0xff, 0], // MinKey
]);
const [DOCUMENT, ARRAY, BINARY, REGEX] = [0x03, 0x04, 0x05, 0x0b];
const STRINGS = new Set([0x02, 0x0d, 0x0e]);

/**
 * How many values a document in BSON has, those of its documents and arrays included. It is not decoded: in JavaScript a
 * value takes many times the memory that it takes in BSON.
 */
export function countValues(document: Uint8Array): number {
  const bytes = Buffer.from(document.buffer, document.byteOffset, document.byteLength);
  let values = 0;
  // A document ends with a zero where the type of another value would be: nested ones need no recursion.
  for (let at = 4; at < bytes.length;) {
    const type = bytes[at++]!;
    if (type === 0) continue;
    values++;
    at = bytes.indexOf(0, at) + 1;
    if (type === DOCUMENT || type === ARRAY) at += 4;
    else if (type === REGEX) at = bytes.indexOf(0, bytes.indexOf(0, at) + 1) + 1;
    else if (type === BINARY) at += 5 + bytes.readInt32LE(at);
    else if (STRINGS.has(type)) at += 4 + bytes.readInt32LE(at);
    else at += sizeOf(type);
  }
  return values;
}

function sizeOf(type: number): number {
  const size = FIXED.get(type);
  if (size === undefined) throw new Error(`A document has a value of the unknown type ${type}.`);
  return size;
}

/**
 * Longest time on the server for the queries of one request, in milliseconds. Past it the error is
 * `isTimeLimitExceeded`.
 */
const MAX_QUERY_MS = 2_000;

interface QueryLimits {
  maxTimeMS: number;
  signal?: AbortSignal;
}

/** When the queries of a request must have ended: the first one of it sets the time. */
const deadlines = new WeakMap<CallBounds, number>();

/**
 * Options of the driver for a query with conditions of a caller. All queries of one request share one deadline, and end
 * on the server when the caller disconnects. Outside of a request each query has the whole time.
 */
export function queryLimits(): QueryLimits {
  const bounds = currentBounds();
  if (!bounds) return { maxTimeMS: MAX_QUERY_MS };
  // The time of waits for memory is added to every deadline.
  const now = performance.now() - (bounds.memory?.waitedMs ?? 0);
  const deadline = deadlines.get(bounds) ?? now + MAX_QUERY_MS;
  deadlines.set(bounds, deadline);
  // To MongoDB 0 is no limit.
  return { maxTimeMS: Math.max(1, Math.ceil(deadline - now)), signal: bounds.signal };
}
