interface Waiting<K, R> {
  key: K;
  resolve: (result: R) => void;
  reject: (error: unknown) => void;
}

/**
 * Turns a function of many into one that is called for each: calls that come while one is under way go together in the next. `run`
 * gives one result for each key. When it fails for several it is called for each alone, so that one cannot spoil the others.
 */
export function coalesce<K, R>(run: (keys: K[]) => Promise<R[]>, maxSize = 100): (key: K) => Promise<R> {
  let waiting: Waiting<K, R>[] = [];
  let isRunning = false;

  const settle = async (batch: Waiting<K, R>[]): Promise<void> => {
    try {
      const results = await run(batch.map(({ key }) => key));
      batch.forEach(({ resolve }, index) => resolve(results[index] as R));
    } catch (error) {
      if (batch.length === 1) batch[0]?.reject(error);
      else for (const one of batch) await settle([one]);
    }
  };

  const drain = async (): Promise<void> => {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, maxSize);
      waiting = waiting.slice(maxSize);
      await settle(batch);
    }
    isRunning = false;
  };

  return (key) =>
    new Promise<R>((resolve, reject) => {
      waiting.push({ key, resolve, reject });
      if (isRunning) return;
      isRunning = true;
      setImmediate(() => void drain());
    });
}
