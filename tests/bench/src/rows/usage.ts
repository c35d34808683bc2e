import { createCaller, ITEMS } from '@dtplatform/stack/client';
import { MongoClient } from 'mongodb';
import type { Bench } from '../bench.js';
import { createWorkspace } from '../callers/index.js';
import { assertSameJson, httpSide } from '../http-side.js';
import { ITEMS_DATABASE, newItem } from '../items.js';
import type { SeriesByDriver } from '../references/series-by-driver.js';
import type { Row } from '../row.js';

const DATABASE = 'dtplatform_metricsvc';
/** Nothing else in a bench changes it. */
const METRIC = 'dtplatform.itemsvc.ScriptCount';
const YEAR = 2025;
const MONTHS = Array.from({ length: 12 }, (_, n) => `${YEAR}-${String(n + 1).padStart(2, '0')}`);

export const metricSeries: Row = {
  row: 'metric-series',
  unit: 'request',
  reach: 0.7,
  about: 'a metric by hour over a year, 8760 points; beside the mongodb driver and node:http giving the same JSON',
  async prepare(bench) {
    await storeSeries(bench);
    const { mongoUrl } = bench.stack.backends;
    const argument = { mongoUrl, database: DATABASE, metricName: METRIC, namespace: bench.namespace, months: MONTHS };
    const driver = await bench.serve('references/series-by-driver', argument satisfies SeriesByDriver);
    const { url, pid } = bench.serviceOf('metricsvc');
    const period = `period.from=${YEAR}-01-01T00:00:00Z&period.to=${YEAR + 1}-01-01T00:00:00Z`;
    const ours = `${url}/metricsvc/api/v1/metrics/${METRIC}/by-dimension;namespace=${bench.namespace}?${period}`;
    const { token } = bench;
    await assertSameJson([ours, `${driver.url}/`], token);
    return {
      ours: httpSide({ urls: [ours], token, pid }),
      reference: httpSide({ urls: [`${driver.url}/`], pid: driver.pid }),
    };
  },
};

/** A change in every hour of the year, as metricsvc stores it. */
async function storeSeries({ stack, namespace }: Bench): Promise<void> {
  const client = await MongoClient.connect(stack.backends.mongoUrl);
  const id = `${namespace}/${METRIC}`;
  const hoursOf = (month: string) => {
    const [year = 0, number = 0] = month.split('-').map(Number);
    const count = 24 * new Date(Date.UTC(year, number, 0)).getUTCDate();
    return Object.fromEntries(Array.from({ length: count }, (_, hour) => [hour, (hour % 7) - 1]));
  };
  const sumOf = (hours: Record<string, number>) => Object.values(hours).reduce((sum, amount) => sum + amount, 0);
  const months = MONTHS.map((month) => ({ _id: `${id}/${month}`, month, hours: hoursOf(month) }));
  const sums = Object.fromEntries(months.map(({ month, hours }) => [month, sumOf(hours)]));
  try {
    const db = client.db(DATABASE);
    const documents = months.map(({ month: _month, ...document }) => document);
    await db.collection<{ _id: string }>('series_months').insertMany(documents);
    const value = Object.values(sums).reduce((sum, amount) => sum + amount, 0);
    await db.collection<{ _id: string }>('series').insertOne({ _id: id, value, months: sums } as { _id: string });
  } finally {
    await client.close();
  }
}

export const countedInsert: Row = {
  row: 'counted-insert',
  unit: 'request',
  reach: 0.95,
  about:
    'one item at a time, with what it adds to the metrics, while no worker takes it; beside the same service without messages about usage',
  async prepare(bench) {
    const { token, serviceOf } = bench;
    // Separate, so that the other namespace's totals stay correct.
    const namespace = await createWorkspace(createCaller({ baseUrl: bench.stack.baseUrl, token }), {
      _name: 'Counted',
    });
    // It would process one side's messages while the other side is measured.
    const worker = bench.stack.services.find(({ name }) => name === 'itemsvc-worker')!;
    await worker.stop();
    bench.afterRow(async () => {
      await forgetMessages(bench, namespace);
      const started = await worker.startAgain();
      bench.atEnd(() => started.stop());
    });
    const json = [newItem(namespace, 0)];
    const sideOf = (service: string) => {
      const { url, pid } = serviceOf(service);
      return httpSide({ json, token, pid, urls: [`${url}${ITEMS}?nsfilter=${namespace}`] });
    };
    return { ours: sideOf('itemsvc'), reference: sideOf('uncounteditemsvc') };
  },
};

/** The worker would process them during the next row. */
async function forgetMessages({ stack }: Bench, namespace: string): Promise<void> {
  const client = await MongoClient.connect(stack.backends.mongoUrl);
  try {
    await client.db(ITEMS_DATABASE).collection('outbox').deleteMany({ 'payload._namespace': namespace });
  } finally {
    await client.close();
  }
}
