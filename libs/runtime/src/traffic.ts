import type { Histogram, Registry } from 'prom-client';
import { z } from 'zod';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** What a process did in one minute. Times are upper bounds, in milliseconds; undefined above the last bucket. */
export const Minute = z.object({
  /** Its start, as Unix milliseconds. */
  at: z.int(),
  count: z.int(),
  errors: z.int(),
  medianMs: z.number().optional(),
  p95Ms: z.number().optional(),
});
export type Minute = z.infer<typeof Minute>;

interface Totals {
  count: number;
  errors: number;
  /** The number of values up to each bound, in seconds. */
  upTo: Map<number, number>;
}

interface Source {
  /** The name of a histogram of durations. */
  metric: string;
  isError: (labels: Partial<Record<string, string | number>>) => boolean;
}

export const REQUESTS: Source = {
  metric: 'http_request_duration_seconds',
  isError: ({ status }) => Number(status) >= 500,
};
export const JOBS: Source = {
  metric: 'job_duration_seconds',
  isError: ({ outcome }) => outcome === 'retried' || outcome === 'failed',
};

/** The last hour of a histogram, by minutes. @returns a function to call several times per minute */
export function createTraffic(registry: Registry, source: Source): () => Promise<Minute[]> {
  let minutes: Minute[] = [];
  let latest: Totals = { count: 0, errors: 0, upTo: new Map() };
  let base = latest;
  return async () => {
    const at = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS;
    if (minutes.at(-1)?.at !== at) base = latest;
    latest = await readTotals(registry, source);
    const earlier = minutes.filter((minute) => minute.at > at - HOUR_MS && minute.at !== at);
    minutes = [...earlier, difference(at, latest, base)];
    return minutes.filter(({ count }) => count > 0);
  };
}

async function readTotals(registry: Registry, { metric, isError }: Source): Promise<Totals> {
  const totals: Totals = { count: 0, errors: 0, upTo: new Map() };
  const histogram = registry.getSingleMetric(metric) as Histogram | undefined;
  const values = (await histogram?.get())?.values ?? [];
  for (const { metricName, labels, value } of values) {
    const bound = Number(labels.le);
    if (metricName === `${metric}_bucket`) totals.upTo.set(bound, (totals.upTo.get(bound) ?? 0) + value);
    if (metricName !== `${metric}_count`) continue;
    totals.count += value;
    if (isError(labels)) totals.errors += value;
  }
  return totals;
}

function difference(at: number, { count, errors, upTo }: Totals, base: Totals): Minute {
  const total = count - base.count;
  const within = (share: number): number | undefined => {
    for (const [bound, number] of upTo)
      if (number - (base.upTo.get(bound) ?? 0) >= share * total && Number.isFinite(bound)) return bound * 1000;
    return undefined;
  };
  return { at, count: total, errors: errors - base.errors, medianMs: within(0.5), p95Ms: within(0.95) };
}
