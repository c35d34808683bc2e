import { mayHavePreviews } from '../previews/preview.js';
import type { PreviewBackfill, WalkStore } from './ports.js';
import { isDue } from './walk.js';
import type { Walk } from './walk.js';

/** New uploads wait for these to be drawn, at most. */
const BATCH = 50;
/** Of the batch before. Some may fail permanently. */
const MAX_PENDING = 10;
const MAX_WAIT_MS = 3_600_000;

/**
 * Requests the previews of versions that were uploaded before there were previews, a batch when the one before is drawn.
 * One process at a time does this.
 */
export function createPreviewBackfill({ walkStore, backfill }: { walkStore: WalkStore; backfill: PreviewBackfill }) {
  async function mustWait({ sent = [], steppedAt }: Walk): Promise<boolean> {
    if (!steppedAt || steppedAt.getTime() + MAX_WAIT_MS < Date.now()) return false;
    return (await backfill.countPending(sent)) > MAX_PENDING;
  }

  return {
    /** One batch. @returns the walk after it; undefined while none is due */
    async run(): Promise<Walk | undefined> {
      const walk = await walkStore.find('previews');
      if (!isDue(walk) || (await mustWait(walk))) return undefined;
      const versions = await backfill.next(walk.after, walk.notBefore, BATCH);
      const wanted = versions.filter((version) => !version.internal.previews && mayHavePreviews(version));
      const stepped: Walk = {
        ...walk,
        after: versions.at(-1)?._id ?? walk.after,
        steppedAt: new Date(),
        sent: await backfill.request(wanted),
        changed: walk.changed + wanted.length,
        ...(versions.length < BATCH && { finishedAt: new Date() }),
      };
      await walkStore.save(stepped);
      return stepped;
    },
  };
}
