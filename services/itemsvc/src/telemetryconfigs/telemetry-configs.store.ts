import type { AsyncTask, Listing, Paging } from '@dtplatform/contracts';
import { listPage, newId, oneOf, scopeFilter } from '@dtplatform/mongo';
import type { Mongo } from '@dtplatform/mongo';
import type { FoundTask, Scope } from '@dtplatform/permissions';
import { shownTask } from '@dtplatform/queue';
import type { MessageType, TaskPayload, Tasks } from '@dtplatform/queue';
import type { Item } from '../nameduseritems/item.js';
import { itemModel } from '../nameduseritems/item.model.js';
import type { ListedTelemetryConfig, TelemetryConfig } from './telemetry-config.js';
import type { AcceptedRequest } from './telemetry-configs.js';
import { telemetryConfigModel } from './telemetry-configs.model.js';
import { createConfigNames, createWaitingChanges, namesOf } from './waiting-changes.store.js';

/** Input of the task that creates a configuration. */
export interface CreateConfigInput {
  config: TelemetryConfig;
}

interface Deps {
  mongo: Mongo;
  tasks: Tasks;
  createMessage: MessageType<TaskPayload>;
  changeMessage: MessageType<TaskPayload>;
  ingestMessage: MessageType<TaskPayload>;
}

export function createTelemetryConfigStore(deps: Deps) {
  const { mongo, tasks, createMessage, changeMessage, ingestMessage } = deps;
  const telemetryConfigs = mongo.model(telemetryConfigModel);
  const configNames = createConfigNames(mongo, tasks);
  const kinds = [createMessage, changeMessage, ingestMessage].map(({ name }) => name);

  return {
    newId,
    ...createWaitingChanges(deps),

    /**
     * Reserves the names of a configuration and stores the task that creates it. @returns the id of the task
     * @throws 400 if a short name is taken in its namespace
     */
    accept(config: TelemetryConfig, { byId, bodyBytes }: AcceptedRequest): Promise<string> {
      const [names, id] = [namesOf(config), newId()];
      return configNames.whileReserving(names, config._id, () =>
        mongo.transaction(async (session) => {
          await configNames.reserve(names, { configId: config._id, taskId: id }, session);
          return tasks.create<CreateConfigInput>(session, {
            id,
            message: createMessage,
            namespaces: config._namespaces,
            input: { config },
            createdById: byId,
            reqBodySize: bodyBytes,
          });
        }),
      );
    },

    /** @param namespace one of its namespaces; any by default */
    find: async (id: string, namespace?: string): Promise<TelemetryConfig | undefined> =>
      (await telemetryConfigs
        .findOne({ _id: id, ...(namespace !== undefined && { _namespaces: namespace }) })
        .lean()) ?? undefined,

    list: (scope: Scope, paging: Paging): Promise<Listing<ListedTelemetryConfig>> =>
      listPage<TelemetryConfig, ListedTelemetryConfig>(telemetryConfigs, scopeFilter(scope), {
        paging,
        projection: { _updateLogs: 0, _home: 0, _revision: 0 },
      }),

    async findTask(id: string): Promise<FoundTask<AsyncTask> | undefined> {
      const task = await tasks.get(id);
      if (!task || !kinds.includes(task._kind)) return undefined;
      return { task: shownTask(task), createdById: task._createdById };
    },
  };
}

export type TelemetryConfigStore = ReturnType<typeof createTelemetryConfigStore>;

/** Telemetry collections that bindings refer to. */
export function createBoundCollections(mongo: Mongo) {
  const items = mongo.model(itemModel);
  return {
    async find(_userItemId: string, namespaces: readonly string[]): Promise<Item | undefined> {
      const _itemClass = 'NamedTelemetryCollection' as const;
      const wanted = { _userItemId, _itemClass, _namespaces: oneOf(namespaces) };
      return (await items.findOne(wanted).lean()) ?? undefined;
    },
  };
}

export type BoundCollections = ReturnType<typeof createBoundCollections>;
