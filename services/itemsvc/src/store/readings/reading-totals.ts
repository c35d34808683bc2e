import type { Delta, Totals } from '@dtplatform/queue';
import type { ClientSession } from '@dtplatform/mongo';

/** Totals of a version's readings; stored under the version's id. */
const COUNT_KEY = 'reading';
const BYTES_KEY = 'reading-bytes';

export interface ReadingAmount {
  count: number;
  bytes: number;
}

/** What a write adds to the totals, or takes from them. */
export const readingDeltas = (versionId: string, { count, bytes }: ReadingAmount): Delta[] => [
  { key: COUNT_KEY, namespace: versionId, amount: count },
  { key: BYTES_KEY, namespace: versionId, amount: bytes },
];

export const countReadings = (totals: Totals, versionId: string): Promise<number> =>
  totals.read(COUNT_KEY, [versionId]);

/** Bytes of the readings of versions that have some. */
export const bytesOfReadings = (
  totals: Totals,
  versionIds: string[],
  session: ClientSession,
): Promise<Map<string, number>> => totals.readEach(BYTES_KEY, versionIds, session);
