import { METRICS } from '../http/paths.js';
import type { Tour } from '../tour.js';
import type { Person } from './people.js';

interface Series {
  metricName: string;
  dimensions: Record<string, string>;
  metrics: { timestamp: string; value: number }[];
}

const HOUR_MS = 3_600_000;

/** Metrics lag slightly behind; `expected` is keyed by metric name. */
export async function readMetrics(tour: Tour, owner: Person, namespace: string, expected: Record<string, number>) {
  const lastValue = async (path: string, query: Record<string, string>) => {
    const { body } = await owner.call<Series>('GET', path, { query });
    return body.metrics.at(-1)?.value;
  };
  const untilShown = (path: string, query: Record<string, string>, value: number) =>
    tour.eventually(`${path} shows ${value}`, async () => (await lastValue(path, query)) === value || undefined);

  for (const [name, value] of Object.entries(expected)) {
    await tour.step(`${name} shows ${value}, now and by the hour`, async () => {
      await untilShown(`${METRICS}/${name}`, { namespace }, value);
      const now = Date.now();
      const period = {
        'period.from': new Date(now - 2 * HOUR_MS).toISOString(),
        'period.to': new Date(now + HOUR_MS).toISOString(),
      };
      await untilShown(`${METRICS}/${name}/by-dimension;namespace=${namespace}`, period, value);
    });
  }
}
