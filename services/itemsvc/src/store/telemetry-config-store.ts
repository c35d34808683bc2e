import { findPage, isDuplicateKey, newId } from '@dtplatform/mongo';
import type { Mongo } from '@dtplatform/mongo';
import type { MessageType, Task, TaskPayload, Tasks } from '@dtplatform/queue';
import { errors } from '../errors.js';
import type { TelemetryConfigStore, TelemetryTask } from '../domain/telemetry/ports.js';
import type { TelemetryConfig } from '../domain/telemetry/telemetry-config.js';
import { collectionsOf } from './collections.js';
import type { Collections, TakenName } from './collections.js';
import { MAX_TIME_MS } from './query-errors.js';
import { scopeFilter } from './scope-filter.js';
import { totalFrom } from './total.js';

/** What the processor of a creation works on. */
export interface CreateConfigInput {
  config: TelemetryConfig;
}

export interface TelemetryConfigStoreParts {
  mongo: Mongo;
  tasks: Tasks;
  /** Carries the task of a creation. */
  createMessage: MessageType<TaskPayload>;
}

/** Telemetry configurations, and the tasks that write them. */
export function createTelemetryConfigStore(parts: TelemetryConfigStoreParts): TelemetryConfigStore {
  const { mongo, tasks, createMessage } = parts;
  const collections = collectionsOf(mongo.db);
  const { telemetryConfigs, takenNames } = collections;

  /** The names are taken and the task exists, or nothing happened. */
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

  return {
    newId,

    async accept(config, request) {
      const names = namesOf(config, newId());
      try {
        return await acceptOnce(config, names, request);
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
        if (!(await releaseDeadNames(collections, tasks, names))) throw errors.shortNameTaken({ cause: error });
        return acceptOnce(config, names, request);
      }
    },

    async find(id, namespace) {
      return (await telemetryConfigs.findOne({ _id: id, _namespaces: namespace })) ?? undefined;
    },

    async list(scope, paging) {
      const filter = scopeFilter(scope);
      if (!filter) return { list: [], total: 0 };
      const page = { ...paging, sort: { _id: 1 as const }, projection: { _updateLogs: 0 }, maxTimeMs: MAX_TIME_MS };
      const list = await findPage<TelemetryConfig, Omit<TelemetryConfig, '_updateLogs'>>(
        telemetryConfigs,
        filter,
        page,
      );
      const count = () => telemetryConfigs.countDocuments(filter, { maxTimeMS: MAX_TIME_MS });
      return { list, total: await totalFrom(paging, list.length, count) };
    },

    async findTask(id) {
      const task = await tasks.get(id);
      return task?._kind === createMessage.name ? shownTask(task) : undefined;
    },
  };
}

const namesOf = ({ _id, _namespaces, _shortName }: TelemetryConfig, taskId: string): TakenName[] =>
  _namespaces.map((namespace) => ({ _id: `${namespace}/${_shortName}`, configId: _id, taskId }));

/** Frees names that failed tasks still hold. False when one of the names is really taken. */
async function releaseDeadNames({ takenNames }: Collections, tasks: Tasks, wanted: TakenName[]): Promise<boolean> {
  const taken = await takenNames.find({ _id: { $in: wanted.map(({ _id }) => _id) } }).toArray();
  const holders = await tasks.getMany(taken.map(({ taskId }) => taskId));
  if (!holders.every((task) => task?._status === 'ERROR')) return false;
  for (const { _id, taskId } of taken) await takenNames.deleteOne({ _id, taskId });
  return true;
}

const shownTask = (task: Task): TelemetryTask => ({
  _id: task._id,
  _reqBodySize: task._reqBodySize,
  _batchCompleted: task._batchCompleted,
  _status: task._status,
  _timeTakenInSecs: task._timeTakenInSecs,
  ...(task._response && { _response: task._response }),
  _namespaces: task._namespaces,
  createdById: task._createdById,
});
