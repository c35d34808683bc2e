import { taskHandler } from '@dtplatform/queue';
import type { JobHandler, TaskPayload, Tasks } from '@dtplatform/queue';
import type { TelemetryConfigWriter } from './telemetry-config-writer.store.js';
import type { CreateConfigInput } from './telemetry-configs.store.js';
import type { ChangeConfigInput } from './waiting-changes.store.js';

/** In one transaction with the end of its task. */
export const createTelemetryConfig = (tasks: Tasks, writer: TelemetryConfigWriter): JobHandler<TaskPayload> =>
  taskHandler<CreateConfigInput>(tasks, ({ _id, _input }) => writer.create(_input.config, _id));

/** After the changes that were accepted before it. */
export const changeTelemetryConfig = (tasks: Tasks, writer: TelemetryConfigWriter): JobHandler<TaskPayload> =>
  taskHandler<ChangeConfigInput>(tasks, ({ _id, _input }) => writer.change(_input.configId, _id));
