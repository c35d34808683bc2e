/**
 * Runs `work` on first use and keeps the result. Concurrent callers share one attempt; after a failure the next call
 * retries.
 */
export function once<T>(work: () => Promise<T>): () => Promise<T> {
  let attempt: Promise<T> | undefined;
  const begin = () =>
    work().catch((error: unknown) => {
      attempt = undefined;
      throw error;
    });
  return () => (attempt ??= begin());
}
