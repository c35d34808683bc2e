/** Processes what `source` yields, several at a time. After an error, takes nothing more. */
export async function inParallel<T>(
  source: Iterable<T> | AsyncIterable<T>,
  lanes: number,
  handle: (one: T) => Promise<void>,
): Promise<void> {
  const iterator = (async function* () {
    yield* source;
  })();
  const lane = async () => {
    for await (const one of { [Symbol.asyncIterator]: () => ({ next: () => iterator.next() }) }) await handle(one);
  };
  try {
    const settled = await Promise.allSettled(Array.from({ length: lanes }, () => lane().catch(stop)));
    const failure = settled.find((one) => one.status === 'rejected');
    if (failure) throw failure.reason;
  } finally {
    await iterator.return(undefined);
  }

  async function stop(error: unknown): Promise<never> {
    await iterator.return(undefined);
    throw error;
  }
}
