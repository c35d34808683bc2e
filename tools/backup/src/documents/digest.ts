import { createHash } from 'node:crypto';
import { BSON } from 'mongodb';
import { EXACT_TYPES } from './exact.js';

const WORDS = 8;

/**
 * A digest of documents in any order: the sum of their SHA-256 hashes. Time-series collections return fields in the
 * order of their buckets, so fields are sorted.
 */
export class ContentDigest {
  documents = 0;
  bytes = 0;
  readonly #sum = new Uint32Array(WORDS);
  readonly #sortsFields: boolean;

  constructor({ sortsFields }: { sortsFields: boolean }) {
    this.#sortsFields = sortsFields;
  }

  add(document: Uint8Array): void {
    const hash = createHash('sha256')
      .update(this.#sortsFields ? withSortedFields(document) : document)
      .digest();
    let carry = 0;
    for (let word = 0; word < WORDS; word += 1) {
      const sum = this.#sum[word]! + hash.readUInt32LE(word * 4) + carry;
      this.#sum[word] = sum % 2 ** 32;
      carry = sum >= 2 ** 32 ? 1 : 0;
    }
    this.documents += 1;
    this.bytes += document.length;
  }

  toString(): string {
    return Buffer.from(this.#sum.buffer).toString('hex');
  }
}

function withSortedFields(document: Uint8Array): Uint8Array {
  const fields = Object.entries(BSON.deserialize(document, EXACT_TYPES));
  return BSON.serialize(Object.fromEntries(fields.sort(([a], [b]) => (a < b ? -1 : 1))));
}
