/** A script is slow if a batch takes longer than this. */
const SLOW_MS = 1_000;
/** How long a script stays marked as slow. */
const SLOW_FOR_MS = 60_000;
/** How long a slow script may keep other configurations waiting. */
const MAX_TURN_MS = 60_000;
const WAIT_MS = 1_000;
const MAX_WAIT_MS = 60_000;

/** The processing of one group. */
export interface ScriptTurn {
  /** Reports the run time of the script. */
  took(ms: number): void;
  /** The delay in ms before the rest of the group may run; undefined to continue. */
  waitMs(): number | undefined;
  end(): void;
}

interface Work {
  running: number;
  /** Groups postponed since the last one ended. */
  postponed: number;
  slowUntil: number;
}

/**
 * Tracks slow scripts of this process. A configuration with a slow script gets only one group at a time, so that it
 * does not block the others.
 */
export function createSlowScripts() {
  const works = new Map<string, Work>();
  const isSlow = ({ slowUntil }: Work) => slowUntil > performance.now();
  const forgetIdle = () => {
    for (const [id, work] of works) if (work.running === 0 && !isSlow(work)) works.delete(id);
  };

  return {
    /** The delay in ms before a group may run, longer for each further group; undefined to run now. */
    waitMs(configId: string): number | undefined {
      const work = works.get(configId);
      if (!work || work.running === 0 || !isSlow(work)) return undefined;
      work.postponed += 1;
      return Math.min(MAX_WAIT_MS, work.postponed * WAIT_MS);
    },

    begin(configId: string): ScriptTurn {
      forgetIdle();
      const work = works.get(configId) ?? { running: 0, postponed: 0, slowUntil: 0 };
      works.set(configId, work);
      work.running += 1;
      const until = performance.now() + MAX_TURN_MS;
      return {
        took(ms) {
          if (ms > SLOW_MS) work.slowUntil = performance.now() + SLOW_FOR_MS;
        },
        waitMs: () => (isSlow(work) && (work.running > 1 || performance.now() > until) ? WAIT_MS : undefined),
        end() {
          work.running -= 1;
          work.postponed = 0;
        },
      };
    },
  };
}
