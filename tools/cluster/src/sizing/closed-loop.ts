/** How fast some work was done by a few callers, each of which waits for its answer. */
export interface Speed {
  requests: number;
  seconds: number;
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
}

/** Does the work over and over. Rejects when one call fails: a wrong answer may be faster than a right one. */
export async function closedLoop(
  work: () => Promise<void>,
  { callers, seconds, signal }: { callers: number; seconds: number; signal: AbortSignal },
): Promise<Speed> {
  const times: number[] = [];
  const startMs = performance.now();
  let failed = false;
  const caller = async () => {
    while (!failed && !signal.aborted && performance.now() - startMs < seconds * 1000) {
      const sentMs = performance.now();
      await work();
      times.push(performance.now() - sentMs);
    }
  };
  const fail = (error: unknown) => {
    failed = true;
    throw error;
  };
  await Promise.all(Array.from({ length: callers }, () => caller().catch(fail)));
  signal.throwIfAborted();
  return speedOf(times, (performance.now() - startMs) / 1000);
}

export function speedOf(times: readonly number[], seconds: number): Speed {
  const sorted = [...times].sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  const requests = sorted.length;
  return { requests, seconds, perSecond: requests / seconds, p50Ms: at(0.5), p99Ms: at(0.99) };
}
