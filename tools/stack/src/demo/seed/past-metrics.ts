import { setTimeout as sleep } from 'node:timers/promises';
import { MongoClient, ObjectId } from 'mongodb';
import type { Client } from '@dtplatform/sdk';
import { usageRecorded, type UsageRecorded } from '@dtplatform/contracts';
import { noise } from '../input/noise.js';

const HOUR_MS = 3_600_000;
const DAYS = 30;
const HOURS_OF_CHANGES = [8, 11, 14, 17];
const POLL_MS = 700;
const MAX_POLLS = 10;

interface Metric {
  metricName: string;
  value: number;
}

/**
 * Gives the metrics a past of a month: each grows to its current value, which what is taken off at `seededAt` leaves as
 * it is. Writes the usage messages into the services' outboxes, because no operation reports usage.
 */
export async function writePastMetrics(demo: Client, mongoUrl: string, seededAt: number, signal: AbortSignal) {
  const metrics = await settledMetrics(demo, signal);
  const mongo = await MongoClient.connect(mongoUrl);
  try {
    for (const service of new Set(metrics.map(serviceOf))) {
      const own = metrics.filter((metric) => serviceOf(metric) === service);
      const messages = pastOf(own, demo.namespace!, seededAt);
      await mongo.db(`dtplatform_${service}`).collection<OutboxEntry>('outbox').insertMany(messages.map(entryOf));
    }
  } finally {
    await mongo.close();
  }
}

const serviceOf = ({ metricName }: Metric) => metricName.split('.')[1]!;

/** Metrics lag behind: waits until they no longer change, but not for long, because any value leaves the sums correct. */
async function settledMetrics(demo: Client, signal: AbortSignal): Promise<Metric[]> {
  let metrics: Metric[] = [];
  for (let polls = 0; polls < MAX_POLLS; polls += 1) {
    const before = JSON.stringify(metrics);
    metrics = (await demo.call('metricsvc.metrics.list', {})).metrics.filter(({ value }) => value > 0);
    if (metrics.length > 0 && JSON.stringify(metrics) === before) break;
    await sleep(POLL_MS, undefined, { signal });
  }
  return metrics;
}

function pastOf(metrics: readonly Metric[], _namespace: string, seededAt: number): UsageRecorded[] {
  const times = workingHoursBefore(seededAt);
  const shares = growth(times);
  const messages = times.map((_at, step) => {
    const amount = (value: number, at: number) => (at < 0 ? 0 : Math.ceil(value * shares[at]!));
    const changes = metrics.map(({ metricName: _metric, value }) => ({
      ...{ _metric, _dimensions: {}, _amount: amount(value, step) - amount(value, step - 1) },
    }));
    return { _namespace, _at, _changes: changes.filter(({ _amount }) => _amount !== 0) };
  });
  const off = metrics.map(({ metricName: _metric, value }) => ({ _metric, _dimensions: {}, _amount: -value }));
  return [...messages.filter(({ _changes }) => _changes.length > 0), { _namespace, _at: seededAt, _changes: off }];
}

function workingHoursBefore(nowMs: number): number[] {
  const today = new Date(nowMs).setUTCHours(0, 0, 0, 0);
  const days = Array.from({ length: DAYS }, (_, day) => today - (DAYS - day) * 24 * HOUR_MS);
  const working = days.filter((day) => new Date(day).getUTCDay() % 6 !== 0);
  return working.flatMap((day) => HOURS_OF_CHANGES.map((hour) => day + hour * HOUR_MS));
}

/** From a fifth to all, in steps of different sizes. */
function growth(times: readonly number[]): number[] {
  const weights = times.map((_, step) => noise(`growth ${step}`) ** 3);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  let sum = 0;
  const shares = weights.map((weight) => 0.2 + (0.8 * (sum += weight)) / total);
  return [...shares.slice(0, -1), 1];
}

interface OutboxEntry extends Omit<typeof usageRecorded, 'payload'> {
  _id: string;
  payload: UsageRecorded;
  createdAt: number;
}

const entryOf = (message: UsageRecorded): OutboxEntry => ({
  ...{ ...usageRecorded, payload: usageRecorded.payload.parse(message) },
  ...{ _id: new ObjectId().toHexString(), createdAt: Date.now() },
});
