import { taskHandler } from '@dtplatform/queue';
import type { JobHandler, TaskPayload, Tasks } from '@dtplatform/queue';
import type { TelemetryConfigWriter } from '../store/telemetryconfigs/telemetry-config-writer.js';
import type { ChangeConfigInput } from '../store/telemetryconfigs/waiting-changes.js';

/** Makes an accepted change of a configuration, after those that were accepted before it, and ends its task. */
export const changeTelemetryConfig = (tasks: Tasks, writer: TelemetryConfigWriter): JobHandler<TaskPayload> =>
  taskHandler<ChangeConfigInput>(tasks, ({ _id, _input }) => writer.change(_input.configId, _id));
