/**
 * Runs tasks in parallel. When one fails or `signal` is aborted, the others are aborted; once all have ended, `undo` is
 * awaited and the first error is thrown.
 */
export async function allOrNone<T extends readonly unknown[]>(
  tasks: { readonly [K in keyof T]: (signal: AbortSignal) => Promise<T[K]> },
  signal: AbortSignal,
  undo?: () => Promise<void>,
): Promise<T> {
  const failed = new AbortController();
  const either = AbortSignal.any([signal, failed.signal]);
  const results = await Promise.allSettled(
    tasks.map(async (task) => {
      try {
        return await task(either);
      } catch (error) {
        failed.abort(error);
        throw error;
      }
    }),
  );
  if (!failed.signal.aborted)
    return results.map((result) => (result as PromiseFulfilledResult<unknown>).value) as unknown as T;
  await undo?.();
  signal.throwIfAborted();
  throw failed.signal.reason;
}
