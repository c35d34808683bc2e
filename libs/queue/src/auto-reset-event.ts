/** An event that several sources set and one loop awaits. It stays set until the loop has awaited it once. */
export function createAutoResetEvent(signal: AbortSignal) {
  let isSet = false;
  let wake = (): void => undefined;

  return {
    set: (): void => {
      isSet = true;
      wake();
    },

    /** Resolves once it is set, after the timeout, or when the signal aborts. */
    async wait(timeoutMs: number): Promise<void> {
      if (!isSet && !signal.aborted && timeoutMs > 0) {
        await new Promise<void>((resolve) => {
          const finish = () => {
            clearTimeout(timer);
            signal.removeEventListener('abort', finish);
            resolve();
          };
          const timer = setTimeout(finish, timeoutMs);
          signal.addEventListener('abort', finish);
          wake = finish;
        });
      }
      isSet = false;
    },
  };
}
