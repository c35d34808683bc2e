import { taskHandler } from '@dtplatform/queue';
import type { JobHandler, TaskPayload, Tasks } from '@dtplatform/queue';
import type { CreateConfigInput } from '../store/telemetryconfigs/telemetry-config-store.js';
import type { TelemetryConfigWriter } from '../store/telemetryconfigs/telemetry-config-writer.js';

/** Creates an accepted configuration and ends its task, in one transaction. */
export const createTelemetryConfig = (tasks: Tasks, writer: TelemetryConfigWriter): JobHandler<TaskPayload> =>
  taskHandler<CreateConfigInput>(tasks, ({ _id, _input }) => writer.create(_input.config, _id));
