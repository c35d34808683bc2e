import { BSON } from 'mongodb';
import type { Document } from 'mongodb';

export const EXACT_TYPES = { promoteValues: false, bsonRegExp: true } as const;

const LENGTH_BYTES = 4;

/**
 * Reads a document so that the driver writes the same bytes again. JavaScript objects sort integer keys, such as `{
 * hours: { 7: 1, 5: 1 } }`; objects that would change become Maps.
 */
export function readExactly(document: Uint8Array): Document {
  const object = BSON.deserialize(document, EXACT_TYPES);
  const isSame = Buffer.compare(BSON.serialize(object), document) === 0;
  return isSame ? object : readFields(document);
}

function readFields(document: Uint8Array): Map<string, unknown> {
  const fields = new Map<string, unknown>();
  for (const [type, nameAt, nameLength, valueAt, length] of BSON.onDemand.parseToElements(document)) {
    const name = Buffer.from(document.subarray(nameAt, nameAt + nameLength)).toString();
    const end = valueAt + length;
    const value = document.subarray(valueAt, end);
    if (type === BSON.BSONType.object) fields.set(name, readFields(value));
    else if (type === BSON.BSONType.array) fields.set(name, [...readFields(value).values()]);
    else fields.set(name, readElement(document.subarray(nameAt - 1, end)));
  }
  return fields;
}

/** @param element type, name and value */
function readElement(element: Uint8Array): unknown {
  const document = Buffer.alloc(LENGTH_BYTES + element.length + 1);
  document.writeInt32LE(document.length);
  document.set(element, LENGTH_BYTES);
  return Object.values(BSON.deserialize(document, EXACT_TYPES))[0];
}
