import type { AncestorRepair, WalkStore } from './ports.js';
import { isDue } from './walk.js';
import type { Walk } from './walk.js';

const BATCH = 1000;

/**
 * Finds files whose folders above them are not those of their parents: a process of the version before could store them while
 * the parents were moved. What is below a folder follows from it, so the walk begins again until it has nothing to repair. One
 * process at a time does this.
 */
export function createAncestorRepair({ walkStore, repair }: { walkStore: WalkStore; repair: AncestorRepair }) {
  return {
    /** One batch. @returns how many were repaired, and whether the walk has ended; undefined while none is due */
    async run(): Promise<{ changed: number; hasEnded: boolean } | undefined> {
      const walk = await walkStore.find('ancestors');
      if (!isDue(walk)) return undefined;
      const { after, ...others } = walk;
      const { last, changed } = await repair.step(after, BATCH);
      const stepped: Walk = { ...others, changed: walk.changed + changed, steppedAt: new Date() };
      if (last !== undefined) await walkStore.save({ ...stepped, after: last });
      else if (stepped.changed > 0) await walkStore.save({ ...stepped, changed: 0 });
      else await walkStore.save({ ...stepped, finishedAt: new Date() });
      return { changed, hasEnded: last === undefined && stepped.changed === 0 };
    },
  };
}
