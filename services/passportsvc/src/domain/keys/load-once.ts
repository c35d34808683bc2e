/** Calls `load` on first use and keeps the result. Concurrent callers share one attempt; after a failure the next call retries. */
export function loadOnce<T>(load: () => Promise<T>): () => Promise<T> {
  let attempt: Promise<T> | undefined;
  return () => {
    if (attempt) return attempt;
    const started = load();
    started.catch(() => (attempt = undefined));
    return (attempt = started);
  };
}
