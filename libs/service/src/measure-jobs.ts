import { Gauge } from 'prom-client';
import type { Registry } from 'prom-client';
import type { Jobs } from './jobs.js';

type Reading = [value: number, labels?: Record<string, string>];

/** A backend that is away must not keep back all other figures. */
const READ_TIMEOUT_MS = 1_500;

/**
 * Gauges of the work that waits. Every worker process shows the same figures: those of the whole queue. While their backend is
 * away they are absent.
 */
export function measureJobs({ workers, relay }: Jobs, registry: Registry): void {
  measure(registry, 'queue_jobs', 'Jobs of a queue, by state.', ['queue', 'state'], async () => {
    const counts = await Promise.all(workers.map(async (worker) => [worker.queue, await worker.counts()] as const));
    return counts.flatMap(([queue, states]) =>
      Object.entries(states).map(([state, count]): Reading => [count, { queue, state }]),
    );
  });
  if (!relay) return;
  measure(registry, 'outbox_messages', 'Messages in the outbox, on their way to a queue.', [], async () => [
    [(await relay.backlog()).messages],
  ]);
  measure(registry, 'outbox_oldest_age_seconds', 'Age of the oldest message in the outbox.', [], async () => [
    [(await relay.backlog()).oldestAgeSec],
  ]);
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
      const readings = await Promise.race([read().catch(() => []), nothingInTime()]);
      this.reset();
      if (labelNames.length === 0) this.remove();
      for (const [value, labels = {}] of readings) this.set(labels, value);
    },
  });
}

const nothingInTime = () =>
  new Promise<Reading[]>((resolve) => {
    setTimeout(resolve, READ_TIMEOUT_MS, []).unref();
  });
