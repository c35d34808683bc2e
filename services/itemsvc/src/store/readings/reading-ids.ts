import { randomInt } from 'node:crypto';
import { BSON } from '@dtplatform/mongo';
import type { ClientSession } from '@dtplatform/mongo';

type ObjectId = InstanceType<typeof BSON.ObjectId>;

const MAX_ORDINAL = 0xf_ffff;
const MAX_COUNT = 0x100_0000;
/** Of an id: the time, 13 digits, and a number, 6; the last five count. */
const PREFIX_CHARS = 19;
let count = randomInt(MAX_COUNT);

/**
 * The id of what arrives in a transaction, after its first operation: it is higher than the ids of all that was acknowledged
 * before, by any process, as it begins with the logical time of the database. The number keeps apart what arrives together.
 */
export function newArrivalId({ clusterTime }: ClientSession): string {
  const { t, i } = clusterTime!.clusterTime;
  count = (count + 1) % MAX_COUNT;
  return `${hex(t, 8)}${hex(Math.min(i, MAX_ORDINAL), 5)}${hex(count, 6)}00000`;
}

/** The id so many places behind another one: up to a million follow an arrival. */
export const idBehind = (id: string, places: number): string =>
  `${id.slice(0, PREFIX_CHARS)}${hex(parseInt(id.slice(PREFIX_CHARS), 16) + places, 5)}`;

/**
 * The ids of the readings of a batch follow each other, so that it can be seen which of them are stored. MongoDB compresses
 * such ids well.
 */
export const readingId = (first: string, index: number): ObjectId => new BSON.ObjectId(idBehind(first, index));

const hex = (value: number, length: number) => value.toString(16).padStart(length, '0');
