/** Throughput and latency of a closed loop of callers. */
export interface Speed {
  requests: number;
  seconds: number;
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
}

/** When a loop ends: after a time, or after a number of calls. */
type End = { seconds: number; calls?: undefined } | { seconds?: undefined; calls: number };

/**
 * Repeats the work. Rejects when one call fails, because a wrong response may be faster than a right one.
 * @param work gets the number of the call, from 0
 */
export async function closedLoop(
  work: (n: number) => Promise<void>,
  { callers, seconds, calls, signal }: { callers: number; signal?: AbortSignal } & End,
): Promise<Speed> {
  const times: number[] = [];
  const startMs = performance.now();
  let begun = 0;
  let failed = false;
  const isOver = () => (calls === undefined ? performance.now() - startMs >= seconds * 1000 : begun >= calls);
  const caller = async () => {
    while (!failed && !signal?.aborted && !isOver()) {
      const sentMs = performance.now();
      await work(begun++);
      times.push(performance.now() - sentMs);
    }
  };
  const fail = (error: unknown) => {
    failed = true;
    throw error;
  };
  await Promise.all(Array.from({ length: callers }, () => caller().catch(fail)));
  signal?.throwIfAborted();
  return speedOf(times, (performance.now() - startMs) / 1000);
}

export function speedOf(times: readonly number[], seconds: number): Speed {
  const sorted = [...times].sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  const requests = sorted.length;
  return { requests, seconds, perSecond: requests / seconds, p50Ms: at(0.5), p99Ms: at(0.99) };
}
