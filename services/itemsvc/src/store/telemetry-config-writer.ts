import type { Mongo } from '@dtplatform/mongo';
import type { Tasks } from '@dtplatform/queue';
import type { TelemetryConfig } from '../domain/telemetry/telemetry-config.js';
import { collectionsOf } from './collections.js';

export type TelemetryConfigWriter = ReturnType<typeof createTelemetryConfigWriter>;

/** What the worker does to telemetry configurations. */
export function createTelemetryConfigWriter(mongo: Mongo, tasks: Tasks) {
  const { telemetryConfigs } = collectionsOf(mongo.db);
  return {
    /** Writes the configuration and ends the task that asked for it. Whoever comes second finds the task ended and changes nothing. */
    async create(config: TelemetryConfig, taskId: string): Promise<void> {
      await mongo.transaction(async (session) => {
        const result = { status: 201, statusMsg: 'Created', body: config, batchCompleted: 1 };
        if (!(await tasks.complete(taskId, result, session))) return;
        await telemetryConfigs.insertOne(config, { session });
      });
    },
  };
}
