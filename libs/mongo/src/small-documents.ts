import { BSON } from './driver.js';

/** Hardly a document is larger. */
export const SMALL_BYTES = 32 * 1024;

/** Stands for a larger document. No caller can store a MinKey. */
const LEFT_OUT = { large: new BSON.MinKey() };
const ENCODED = Buffer.from(BSON.serialize(LEFT_OUT));

/** The last stage of an aggregation that leaves large documents out. */
export const IF_SMALL = {
  $replaceWith: { $cond: [{ $lte: [{ $bsonSize: '$$ROOT' }, SMALL_BYTES] }, '$$ROOT', { $literal: LEFT_OUT }] },
};

/** Whether a document, in BSON, stands for a large one. */
export const isLeftOut = (document: Uint8Array): boolean => ENCODED.equals(document);
