/** Waits for shared work; a caller that gives up does not end it for the others. */
export function unlessAborted<T>(shared: Promise<T>, signal?: AbortSignal): Promise<T> {
  if (!signal) return shared;
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason as Error);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    shared.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
