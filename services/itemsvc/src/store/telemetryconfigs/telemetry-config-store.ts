import { isDuplicateKey, listPage, newId, scopeFilter, trusted } from '@dtplatform/mongo';
import type { Mongo } from '@dtplatform/mongo';
import { shownTask } from '@dtplatform/queue';
import type { MessageType, TaskPayload, Tasks } from '@dtplatform/queue';
import type { TelemetryConfigStore } from '../../domain/telemetryconfigs/ports.js';
import type { ListedTelemetryConfig, TelemetryConfig } from '../../domain/telemetryconfigs/telemetry-config.js';
import { errors } from '../../errors.js';
import { takenNameModel } from './taken-name.model.js';
import type { TakenName } from './taken-name.model.js';
import { telemetryConfigModel } from './telemetry-config.model.js';

/** What the processor of a creation works on. */
export interface CreateConfigInput {
  config: TelemetryConfig;
}

interface Deps {
  mongo: Mongo;
  tasks: Tasks;
  /** Carries the task of a creation. */
  createMessage: MessageType<TaskPayload>;
}

/** Telemetry configurations, and the tasks that write them. */
export function createTelemetryConfigStore({ mongo, tasks, createMessage }: Deps): TelemetryConfigStore {
  const telemetryConfigs = mongo.model(telemetryConfigModel);
  const takenNames = mongo.model(takenNameModel);

  /** Reserves the names and stores the task, both or neither. */
  const acceptOnce = (config: TelemetryConfig, names: TakenName[], request: { byId: string; bodyBytes: number }) =>
    mongo.transaction(async (session) => {
      await takenNames.insertMany(names, { session });
      return tasks.create<CreateConfigInput>(session, {
        id: names[0]!.taskId,
        message: createMessage,
        namespaces: config._namespaces,
        input: { config },
        createdById: request.byId,
        reqBodySize: request.bodyBytes,
      });
    });

  /** Frees names that failed tasks still reserve. False when one of the names is taken by a task that did not fail. */
  async function releaseDeadNames(wanted: TakenName[]): Promise<boolean> {
    const taken = await takenNames.find({ _id: trusted({ $in: wanted.map(({ _id }) => _id) }) }).lean();
    const holders = await tasks.getMany(taken.map(({ taskId }) => taskId));
    if (!holders.every((task) => task?._status === 'ERROR')) return false;
    for (const { _id, taskId } of taken) await takenNames.deleteOne({ _id, taskId });
    return true;
  }

  return {
    newId,

    async accept(config, request) {
      const names = namesOf(config, newId());
      try {
        return await acceptOnce(config, names, request);
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
        if (!(await releaseDeadNames(names))) throw errors.shortNameTaken({ cause: error });
        return acceptOnce(config, names, request);
      }
    },

    find: async (id, namespace) =>
      (await telemetryConfigs.findOne({ _id: id, _namespaces: namespace }).lean()) ?? undefined,

    list: (scope, paging) =>
      listPage<TelemetryConfig, ListedTelemetryConfig>(telemetryConfigs, scopeFilter(scope), {
        paging,
        projection: { _updateLogs: 0, _revision: 0 },
      }),

    async findTask(id) {
      const task = await tasks.get(id);
      if (task?._kind !== createMessage.name) return undefined;
      return { task: shownTask(task), createdById: task._createdById };
    },
  };
}

const namesOf = ({ _id, _namespaces, _shortName }: TelemetryConfig, taskId: string): TakenName[] =>
  _namespaces.map((namespace) => ({ _id: `${namespace}/${_shortName}`, configId: _id, taskId }));
