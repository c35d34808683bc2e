import { MongoClient } from 'mongodb';
import { argument } from '../load/program.js';
import { serveJson } from './serve.js';

export interface SeriesByDriver {
  mongoUrl: string;
  database: string;
  metricName: string;
  namespace: string;
  /** The months of the series, such as `2026-11`. */
  months: string[];
}

interface StoredMonth {
  _id: string;
  hours: Record<string, number>;
}

const HOUR_MS = 3_600_000;

/**
 * Serves the same JSON as metricsvc with only the driver and node:http, for one series from its first month: no tokens,
 * no permissions, no validation, no logs.
 */
const { mongoUrl, database, metricName, namespace, months } = argument<SeriesByDriver>();
const client = await MongoClient.connect(mongoUrl);
const stored = client.db(database).collection<StoredMonth>('series_months');
const ids = months.map((month) => `${namespace}/${metricName}/${month}`);

function pointsOf(found: StoredMonth[]): object[] {
  const hoursOf = new Map(found.map(({ _id, hours }) => [_id, hours]));
  const metrics: object[] = [];
  let value = 0;
  for (const [index, month] of months.entries()) {
    const start = new Date(`${month}-01T00:00:00Z`);
    const hours = hoursOf.get(ids[index]!) ?? {};
    const end = Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1);
    for (let atMs = start.getTime(), hour = 0; atMs < end; atMs += HOUR_MS, hour++) {
      value += hours[hour] ?? 0;
      metrics.push({ timestamp: new Date(atMs).toISOString(), value });
    }
  }
  return metrics;
}

serveJson(async () => {
  const found = await stored.find({ _id: { $in: ids } }, { batchSize: ids.length + 1 }).toArray();
  return { metricName, dimensions: { namespace }, metrics: pointsOf(found) };
});
