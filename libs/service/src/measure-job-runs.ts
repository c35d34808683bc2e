import { Gauge, Histogram } from 'prom-client';
import type { Registry } from 'prom-client';
import type { Jobs } from './jobs.js';

const BUCKETS_SEC = [0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60, 300, 1800];

/** What this process does with the jobs of its queues. Each series begins at zero, so that its first failure shows. */
export function measureJobRuns({ workers }: Pick<Jobs, 'workers'>, registry: Registry): void {
  const durations = new Histogram({
    name: 'job_duration_seconds',
    help: 'Time that one attempt at a job took, by how it ended.',
    labelNames: ['queue', 'message', 'outcome'],
    buckets: BUCKETS_SEC,
    registers: [registry],
  });
  for (const worker of workers) {
    const { queue, messages, outcomes } = worker;
    for (const message of messages) for (const outcome of outcomes) durations.zero({ queue, message, outcome });
    worker.onRun(({ message, outcome, durationSec }) => durations.observe({ queue, message, outcome }, durationSec));
  }
  new Gauge({
    name: 'queue_connected',
    help: 'Whether this process is connected to the Redis of a queue: 1 or 0.',
    labelNames: ['queue'],
    registers: [registry],
    collect() {
      for (const worker of workers) this.set({ queue: worker.queue }, Number(worker.isConnected()));
    },
  });
}
