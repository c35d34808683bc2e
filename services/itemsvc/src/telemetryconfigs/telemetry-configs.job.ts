import { taskHandler } from '@dtplatform/queue';
import type { JobHandler, TaskPayload, Tasks } from '@dtplatform/queue';
import type { TelemetryConfigWriter } from './telemetry-config-writer.store.js';
import type { CreateConfigInput } from './telemetry-configs.store.js';
import type { ChangeConfigInput } from './waiting-changes.store.js';

/** Creates an accepted configuration and ends its task, in one transaction. */
export const createTelemetryConfig = (tasks: Tasks, writer: TelemetryConfigWriter): JobHandler<TaskPayload> =>
  taskHandler<CreateConfigInput>(tasks, ({ _id, _input }) => writer.create(_input.config, _id));

/** Makes an accepted change of a configuration, after those that were accepted before it, and ends its task. */
export const changeTelemetryConfig = (tasks: Tasks, writer: TelemetryConfigWriter): JobHandler<TaskPayload> =>
  taskHandler<ChangeConfigInput>(tasks, ({ _id, _input }) => writer.change(_input.configId, _id));
