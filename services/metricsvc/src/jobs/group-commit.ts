/** Joins what is added while a commit runs into the next one. */
export interface GroupCommit<T> {
  /** Resolves when the entry is committed; rejects when it cannot be. */
  add(entry: T): Promise<void>;
}

interface Waiting<T> {
  entry: T;
  resolve: () => void;
  reject: (error: unknown) => void;
}

/**
 * One commit at a time: those of one process would conflict over the same totals. When a group fails and the error may
 * be that of a single entry, each is committed by itself, so that one bad entry stops only itself.
 * @param concernsAll whether an error has nothing to do with the entries, such as a database that is away
 */
export function createGroupCommit<T>(options: {
  commit: (entries: T[]) => Promise<void>;
  concernsAll: (error: unknown) => boolean;
  /** A group ends with the entry that reaches this weight. */
  maxWeight: number;
  weightOf: (entry: T) => number;
}): GroupCommit<T> {
  const { commit, concernsAll, maxWeight, weightOf } = options;
  const waiting: Waiting<T>[] = [];
  let running = false;

  function takeGroup(): Waiting<T>[] {
    let weight = 0;
    let count = 0;
    while (count < waiting.length && weight < maxWeight) weight += weightOf(waiting[count++]!.entry);
    return waiting.splice(0, count);
  }

  async function settle(group: Waiting<T>[]): Promise<void> {
    try {
      await commit(group.map(({ entry }) => entry));
      for (const { resolve } of group) resolve();
    } catch (error) {
      if (group.length === 1 || concernsAll(error)) for (const { reject } of group) reject(error);
      else for (const one of group) await settle([one]);
    }
  }

  async function run(): Promise<void> {
    if (running) return;
    running = true;
    // All that are added in this turn of the event loop belong to the first group.
    await Promise.resolve();
    while (waiting.length > 0) await settle(takeGroup());
    running = false;
  }

  return {
    add: (entry) =>
      new Promise<void>((resolve, reject) => {
        waiting.push({ entry, resolve, reject });
        void run();
      }),
  };
}
