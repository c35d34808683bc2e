import { before, oneOf } from '@dtplatform/mongo';
import type { Model } from '@dtplatform/mongo';
import type { Run, RunStatus } from '../../domain/orchrun/run.js';

const ENDED: RunStatus[] = ['COMPLETED', 'ERROR', 'CANCELLED'];
const BATCH = 500;

/** Removes runs that ended before a time, as the text of a timestamp, in batches. @returns how many */
export async function removeEnded(runs: Model<Run>, time: string, signal: AbortSignal): Promise<number> {
  const old = { _status: oneOf(ENDED), _updatedat: before(time) };
  let count = 0;
  while (!signal.aborted) {
    const found = await runs.find(old, { _id: 1 }).limit(BATCH).lean<{ _id: string }[]>();
    if (found.length === 0) break;
    // One may have been retried in between.
    const these = { ...old, _id: oneOf(found.map(({ _id }) => _id)) };
    count += (await runs.deleteMany(these)).deletedCount;
  }
  return count;
}
