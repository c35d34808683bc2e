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
