import { usageBatch } from '@dtplatform/contracts';
import type { UsageRecorded } from '@dtplatform/contracts';
import { silentLogger } from '@dtplatform/logging';
import { defineCatalogue, startWorker } from '@dtplatform/queue';
import { NS } from './start-app.js';
import type { TestApp } from './start-app.js';

/** Stands in for metricsvc: adds up the messages to it, each batch once, however often it is delivered. */
export async function collectUsage(app: TestApp) {
  const usage: UsageRecorded[] = [];
  const added = new Set<string>();
  const worker = await startWorker({
    catalogue: defineCatalogue(usageBatch.queue, { [usageBatch.name]: usageBatch }),
    handlers: {
      async [usageBatch.name]({ messages }, { id }) {
        if (added.has(id)) return;
        added.add(id);
        usage.push(...messages);
      },
    },
    redisUrl: app.deps.config.REDIS_URL,
    queuePrefix: app.deps.config.MONGO_DB,
    log: silentLogger(),
  });
  return {
    /** The sum of all messages so far, such as of `FileCount`. */
    amount: (metric: string, { namespace = NS, dimensions = {} } = {}): number =>
      usage
        .filter(({ _namespace }) => _namespace === namespace)
        .flatMap(({ _changes }) => _changes)
        .filter(({ _metric }) => _metric === `dtplatform.filesvc.${metric}`)
        .filter(({ _dimensions }) => Object.entries(dimensions).every(([name, value]) => _dimensions[name] === value))
        .reduce((sum, { _amount }) => sum + _amount, 0),
    /** How many changes the largest message had. */
    largestMessage: (): number => Math.max(...usage.map(({ _changes }) => _changes.length)),
    stop: () => worker.stop(5_000),
  };
}
