import { randomBytes } from 'node:crypto';
import { BSON } from '@dtplatform/mongo';

type ObjectId = InstanceType<typeof BSON.ObjectId>;

/** Of an ObjectId: seconds and random bytes; the last three count. */
const PREFIX_CHARS = 18;

/** The id of a new batch: that of its first reading. */
export function newBatchId(): string {
  const seconds = Math.floor(Date.now() / 1000)
    .toString(16)
    .padStart(8, '0');
  return `${seconds}${randomBytes(5).toString('hex')}000000`;
}

/**
 * The ids of the readings of a batch follow each other, so that it can be seen which of them are stored. MongoDB compresses
 * such ids well.
 */
export const readingId = (batchId: string, index: number): ObjectId =>
  new BSON.ObjectId(`${batchId.slice(0, PREFIX_CHARS)}${index.toString(16).padStart(6, '0')}`);
