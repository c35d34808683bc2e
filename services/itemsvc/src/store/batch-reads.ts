/** More is no cheaper for each, and makes the first wait for the last. */
const MAX_BATCH = 32;

/**
 * Reads by key what is asked for in one turn of the event loop with one query: when many ask at the same time, most of what a read
 * costs is paid once for all of them.
 */
export function batchReads<T>(
  load: (keys: string[]) => Promise<Map<string, T>>,
): (key: string) => Promise<T | undefined> {
  let batch: { keys: Set<string>; found: Promise<Map<string, T>> } | undefined;

  function open() {
    const keys = new Set<string>();
    const found = new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
      if (batch?.keys === keys) batch = undefined;
      return load([...keys]);
    });
    return { keys, found };
  }

  return async (key) => {
    if (!batch || batch.keys.size >= MAX_BATCH) batch = open();
    const { keys, found } = batch;
    keys.add(key);
    return (await found).get(key);
  };
}
