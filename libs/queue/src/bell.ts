/** Lets a loop wait for whichever of its sources has something for it. What rings while nobody waits is not lost. */
export function createBell(signal: AbortSignal) {
  let hasRung = false;
  let wake = (): void => undefined;

  return {
    ring: (): void => {
      hasRung = true;
      wake();
    },

    /** Resolves once it rings, after a time, or when the signal is aborted. */
    async wait(timeoutMs: number): Promise<void> {
      if (!hasRung && !signal.aborted && timeoutMs > 0) {
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
      hasRung = false;
    },
  };
}
