import type { ReadinessChecks } from '@dtplatform/http';

/** A value, or one for each combination of values of its labels. */
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
    /** The names of its messages, and how their jobs end. */
    messages: readonly string[];
    outcomes: readonly string[];
    /** Calls `listener` whenever this process has run a job. */
    onRun(listener: (run: { message: string; outcome: string; durationSec: number }) => void): void;
    /** Whether this process is connected to the queue's backend. */
    isConnected(): boolean;
    /** Resolves when the queue's backend answers. */
    ping(): Promise<unknown>;
    /** Number of jobs in the queue by state, across all processes. */
    counts(): Promise<Record<string, number>>;
  }[];
  /** Moves messages from the outbox to their queues. */
  relay?: {
    healthy(): boolean;
    backlog(): Promise<{
      /** Not in their queue yet. */
      messages: number;
      oldestAgeSec: number;
      /** In their queue, and not processed yet. */
      unprocessed: number;
      /** Those of them that used up their attempts at least once. */
      failed: number;
    }>;
  };
}

/** Whether the backends of the jobs answer. */
export const checksOf = ({ workers, relay }: Jobs): ReadinessChecks => ({
  queues: () => Promise.all(workers.map((worker) => worker.ping())),
  ...(relay && {
    relay: async () => {
      if (!relay.healthy()) throw new Error('The outbox relay is failing.');
    },
  }),
});
