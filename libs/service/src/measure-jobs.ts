import pTimeout from 'p-timeout';
import { Gauge } from 'prom-client';
import type { Registry } from 'prom-client';
import type { Jobs } from './jobs.js';

type Reading = [value: number, labels?: Record<string, string>];

/** An unavailable backend must not delay all other metrics. */
const READ_TIMEOUT_MS = 1_500;

/**
 * Gauges of pending work. They cover the whole queue, so every worker process reports the same values. While their
 * backend is unavailable they are absent.
 */
export function measureJobs({ workers, relay, gauges = [] }: Jobs, registry: Registry): void {
  measure(registry, 'queue_jobs', 'Jobs of a queue, by state.', ['queue', 'state'], async () => {
    const counts = await Promise.all(workers.map(async (worker) => [worker.queue, await worker.counts()] as const));
    return counts.flatMap(([queue, states]) =>
      Object.entries(states).map(([state, count]): Reading => [count, { queue, state }]),
    );
  });
  for (const { name, help, labelNames, read } of gauges) {
    if (labelNames) measure(registry, name, help, labelNames, read);
    else measure(registry, name, help, [], async () => [[await read()]]);
  }
  if (!relay) return;
  // The gauges of one scrape share a read.
  let reading: ReturnType<typeof relay.backlog> | undefined;
  const backlog = () => (reading ??= relay.backlog().finally(() => (reading = undefined)));
  measure(registry, 'outbox_messages', 'Messages in the outbox that are not in their queue yet.', [], async () => [
    [(await backlog()).messages],
  ]);
  measure(registry, 'outbox_oldest_age_seconds', 'Age of the oldest of them.', [], async () => [
    [(await backlog()).oldestAgeSec],
  ]);
  measure(
    registry,
    'outbox_unprocessed_messages',
    'Messages in their queue that are not processed yet.',
    [],
    async () => [[(await backlog()).unprocessed]],
  );
  measure(
    registry,
    'outbox_failed_messages',
    'Those of them that used up their attempts at least once.',
    [],
    async () => [[(await backlog()).failed]],
  );
}

function measure(
  registry: Registry,
  name: string,
  help: string,
  labelNames: string[],
  read: () => Promise<Reading[]>,
): void {
  new Gauge({
    name,
    help,
    labelNames,
    registers: [registry],
    async collect() {
      const readings = await pTimeout(read(), { milliseconds: READ_TIMEOUT_MS }).catch(() => []);
      this.reset();
      if (labelNames.length === 0) this.remove();
      for (const [value, labels = {}] of readings) this.set(labels, value);
    },
  });
}
