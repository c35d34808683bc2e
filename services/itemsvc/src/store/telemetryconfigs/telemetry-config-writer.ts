import type { Mongo } from '@dtplatform/mongo';
import type { Tasks } from '@dtplatform/queue';
import { showTelemetryConfig } from '../../domain/telemetryconfigs/telemetry-config.js';
import type { TelemetryConfig } from '../../domain/telemetryconfigs/telemetry-config.js';
import { telemetryConfigModel } from './telemetry-config.model.js';

export type TelemetryConfigWriter = ReturnType<typeof createTelemetryConfigWriter>;

/** Writes of telemetry configurations by the worker. */
export function createTelemetryConfigWriter(mongo: Mongo, tasks: Tasks) {
  const telemetryConfigs = mongo.model(telemetryConfigModel);
  return {
    /** Stores the configuration and completes its task. When the task has already ended, nothing changes. */
    async create(config: TelemetryConfig, taskId: string): Promise<void> {
      const result = { status: 201, statusMsg: 'Created', body: showTelemetryConfig(config), batchCompleted: 1 };
      // The previous version accepted configurations without a revision.
      const stored = { ...config, _revision: 0 };
      await mongo.transaction(async (session) => {
        if (await tasks.complete(taskId, result, session)) await telemetryConfigs.insertMany([stored], { session });
      });
    },
  };
}
