import type { ReadinessChecks } from '@dtplatform/http';

/** What a worker process does, as its admin port shows it. */
export interface Jobs {
  workers: {
    queue: string;
    /** Resolves when the queue's backend answers. */
    ping(): Promise<unknown>;
    /** How many jobs of the queue are in which state, whoever works on them. */
    counts(): Promise<Record<string, number>>;
  }[];
  /** What carries messages from the outbox to their queues. */
  relay?: {
    healthy(): boolean;
    backlog(): Promise<{ messages: number; oldestAgeSec: number }>;
  };
}

/** Whether the backends of the jobs answer. */
export const checksOf = ({ workers, relay }: Jobs): ReadinessChecks => ({
  queues: () => Promise.all(workers.map((worker) => worker.ping())),
  ...(relay && {
    relay: async () => {
      if (!relay.healthy()) throw new Error('Messages are not carried to their queues.');
    },
  }),
});
