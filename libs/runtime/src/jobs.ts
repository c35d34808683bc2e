import { Gauge, Histogram } from 'prom-client';
import type { Registry } from 'prom-client';
import pTimeout from 'p-timeout';
import type { ReadinessChecks } from '@dtplatform/http';

/** One value, or one per combination of label values. */
export type JobGauge = { name: string; help: string } & (
  | { labelNames?: undefined; read: () => Promise<number> }
  | { labelNames: string[]; read: () => Promise<[value: number, labels: Record<string, string>][]> }
);

/** The jobs of a worker process, as its admin port reports them. */
export interface Jobs {
  /** Further pending work of the service. */
  gauges?: JobGauge[];
  workers: {
    queue: string;
    /** Names of its messages, as in the outcomes of their jobs. */
    messages: readonly string[];
    outcomes: readonly string[];
    /** Calls `listener` after each job of this process. */
    onRun(listener: (run: { message: string; outcome: string; durationSec: number }) => void): void;
    /** Whether this process is connected to Redis. */
    isConnected(): boolean;
    /** Resolves when Redis responds. */
    ping(): Promise<unknown>;
    /** Number of jobs in the queue by state, over all processes. */
    counts(): Promise<Record<string, number>>;
  }[];
  /** Moves messages from the outbox to their queues. */
  relay?: {
    healthy(): boolean;
    backlog(): Promise<{
      /** Not yet in their queue. */
      messages: number;
      oldestAgeSec: number;
      /** In their queue, not processed yet. */
      unprocessed: number;
      /** Of those, the ones whose last attempt had failed at the last check. */
      failed: number;
    }>;
  };
}

export const checksOf = ({ workers, relay }: Jobs): ReadinessChecks => ({
  queues: () => Promise.all(workers.map((worker) => worker.ping())),
  ...(relay && {
    relay: async () => {
      if (!relay.healthy()) throw new Error('The outbox relay is failing.');
    },
  }),
});

type Reading = [value: number, labels?: Record<string, string>];

/** An unavailable backend must not delay all other metrics. */
const READ_TIMEOUT_MS = 1_500;

/**
 * Gauges of pending work over the whole queue, so every worker process reports the same values. Absent while their
 * backend is unavailable.
 */
export function measureJobs({ workers, relay, gauges = [] }: Jobs, registry: Registry): void {
  measure(registry, 'queue_jobs', 'Jobs in a queue, by state.', ['queue', 'state'], async () => {
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
  measure(registry, 'outbox_messages', 'Messages in the outbox that are not yet in their queue.', [], async () => [
    [(await backlog()).messages],
  ]);
  measure(
    registry,
    'outbox_oldest_age_seconds',
    'Age of the oldest message of the outbox that is not yet in its queue.',
    [],
    async () => [[(await backlog()).oldestAgeSec]],
  );
  measure(
    registry,
    'outbox_unprocessed_messages',
    'Messages in their queue that have not been processed yet.',
    [],
    async () => [[(await backlog()).unprocessed]],
  );
  measure(
    registry,
    'outbox_failed_messages',
    'Messages older than a minute whose last attempt failed. They are retried until they succeed.',
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

const BUCKETS_SEC = [0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60, 300, 1800];

/** Counts and durations of this process's jobs. Each series starts at zero, so that its first failure is visible. */
export function measureJobRuns({ workers }: Pick<Jobs, 'workers'>, registry: Registry): void {
  const durations = new Histogram({
    name: 'job_duration_seconds',
    help: 'Duration of one attempt at a job, by result.',
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
