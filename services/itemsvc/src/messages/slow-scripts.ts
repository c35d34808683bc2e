/** A script that took longer than this, for the messages that are worked on together, is slow. */
const SLOW_MS = 1_000;
/** For how long it counts as slow. */
const SLOW_FOR_MS = 60_000;
/** How long the work on one group may keep others waiting. */
const MAX_TURN_MS = 60_000;
const WAIT_MS = 1_000;
const MAX_WAIT_MS = 60_000;

/** Work on a group of messages of one configuration. */
export interface ScriptTurn {
  /** Reports for how long the script ran. */
  took(ms: number): void;
  /** How long the rest of the group is to wait; undefined when the work may continue. */
  waitMs(): number | undefined;
  end(): void;
}

interface Work {
  running: number;
  /** Groups that were asked to wait since the last one ended. */
  postponed: number;
  slowUntil: number;
}

/**
 * Knows the scripts that this process runs, and keeps configurations with slow ones from holding up all others: only one of
 * their groups is worked on.
 */
export function createSlowScripts() {
  const works = new Map<string, Work>();
  const isSlow = ({ slowUntil }: Work) => slowUntil > performance.now();
  const forgetIdle = () => {
    for (const [id, work] of works) if (work.running === 0 && !isSlow(work)) works.delete(id);
  };

  return {
    /** How long a group of a configuration is to wait; undefined when it need not. Each further group waits longer. */
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
