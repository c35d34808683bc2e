import { NetworkError } from '@dtplatform/sdk';

const [FIRST_DELAY_MS, MAX_DELAY_MS] = [3_000, 30_000];

/**
 * Loads what a screen shows. While the platform is unreachable, tries again: after a delay that doubles, or once the
 * browser is online again.
 * @param onFailure called with each failure
 */
export async function untilReachable(
  load: () => Promise<void>,
  onFailure: (error: unknown) => void,
  signal?: AbortSignal,
): Promise<void> {
  for (let delay = FIRST_DELAY_MS; ; delay = Math.min(2 * delay, MAX_DELAY_MS)) {
    try {
      return void (await load());
    } catch (error) {
      if (!(error instanceof NetworkError) || signal?.aborted) throw error;
      onFailure(error);
      await pause(delay);
      signal?.throwIfAborted();
    }
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(end, ms);
    window.addEventListener('online', end, { once: true });
    function end() {
      clearTimeout(timer);
      window.removeEventListener('online', end);
      resolve();
    }
  });
}
