import { commonErrors } from '@dtplatform/errors';
import { currentBounds } from '@dtplatform/telemetry';
import type { CallBounds } from '@dtplatform/telemetry';
import { BSON } from './driver.js';
import type { Collection } from './driver.js';

/** Maximum size of one server response. */
const MAX_REPLY_BYTES = 16 * 1024 * 1024;
/** JavaScript's overhead per value, besides its text. */
const VALUE_BYTES = 60;

/**
 * All documents of an aggregation in one round trip. A server response holds 16 MiB: if the documents are larger in
 * total, the request fails without decoding any.
 *
 * Within a request, a page counts as memory of the process (docs/adr/0011-memory-budgets.md). A page that may be large
 * first reserves the largest possible response, until its size is known. Most documents are small, so the first round
 * trip leaves large ones out, and there is a second one only if any exist.
 * @param maxDocuments the most that the aggregation can find
 * @throws 400 `PAGE_TOO_LARGE`
 */
export const onePage = async <T extends object>(
  collection: Collection,
  pipeline: object[],
  maxDocuments: number,
): Promise<T[]> => decoded(await encodedPage(collection, pipeline, maxDocuments));

/** `onePage` in BSON. While requests wait, encoded documents cost the garbage collector less than objects. */
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

/** A page that may contain large documents, in BSON. */
export const largePage = async (collection: Collection, pipeline: object[]): Promise<Uint8Array[]> =>
  (await read(collection, pipeline, 'large', MAX_REPLY_BYTES))!;

/** Estimated memory of documents once decoded. */
function decodedBytes(documents: Uint8Array[]): number {
  const bytes = documents.reduce((sum, { length }) => sum + length, 0);
  if (bytes <= SMALL_BYTES) return bytes;
  return documents.reduce((sum, document) => sum + countValues(document) * VALUE_BYTES, bytes);
}

/** Services store valid UTF-8 only, so checking it again only costs time. */
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
  // Waits for the exact size while holding nothing.
  return read(collection, pipeline, 'large', bytes);
}

/** More documents than any response contains. */
const BATCH_SIZE = 100_000;

interface FirstResponse {
  /** In BSON, until their size is known. */
  documents: Uint8Array[];
  /** Whether more documents did not fit. */
  isPart: boolean;
}

/** The server's first response to an aggregation. The rest stays on the server. */
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

/** Few documents are larger. */
const SMALL_BYTES = 32 * 1024;

/** Placeholder for a larger document. Callers cannot store a MinKey. */
const LEFT_OUT = { large: new BSON.MinKey() };
const ENCODED = Buffer.from(BSON.serialize(LEFT_OUT));

/** Last stage of an aggregation that leaves large documents out. */
export const IF_SMALL = {
  $replaceWith: { $cond: [{ $lte: [{ $bsonSize: '$$ROOT' }, SMALL_BYTES] }, '$$ROOT', { $literal: LEFT_OUT }] },
};

/** Whether a BSON document is the placeholder. */
export const isLeftOut = (document: Uint8Array): boolean => ENCODED.equals(document);

/** Size of a value by type (bsonspec.org); strings, documents and others are preceded by their length. */
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
 * Counts the values in a BSON document, including nested ones, without decoding it: in JavaScript a value takes many
 * times its size in BSON.
 */
export function countValues(document: Uint8Array): number {
  const bytes = Buffer.from(document.buffer, document.byteOffset, document.byteLength);
  let values = 0;
  // A document ends with a zero byte in place of a type, so nested documents need no recursion.
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

/** Server time limit for all queries of one request, in milliseconds. Beyond it, `isTimeLimitExceeded` is true. */
const MAX_QUERY_MS = 2_000;

interface QueryLimits {
  maxTimeMS: number;
  signal?: AbortSignal;
}

/** The deadline of a request's queries, set by the first one. */
const deadlines = new WeakMap<CallBounds, number>();

/**
 * Driver options for a query with a caller's conditions. All queries of a request share a deadline and end on the
 * server when the caller disconnects. Outside of a request, each query gets the full time.
 */
export function queryLimits(): QueryLimits {
  const bounds = currentBounds();
  if (!bounds) return { maxTimeMS: MAX_QUERY_MS };
  // Waits for memory extend the deadline.
  const now = performance.now() - (bounds.memory?.waitedMs ?? 0);
  const deadline = deadlines.get(bounds) ?? now + MAX_QUERY_MS;
  deadlines.set(bounds, deadline);
  // 0 means no limit in MongoDB.
  return { maxTimeMS: Math.max(1, Math.ceil(deadline - now)), signal: bounds.signal };
}
