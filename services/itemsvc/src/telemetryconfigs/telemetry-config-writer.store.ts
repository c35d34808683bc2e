import { commonErrors, isRejection } from '@dtplatform/errors';
import { deleteIfMatch, markGrants, oneOf, updateIfMatch } from '@dtplatform/mongo';
import type { ClientSession, Mongo } from '@dtplatform/mongo';
import { isSamePlace } from '@dtplatform/permissions';
import { failureOf } from '@dtplatform/queue';
import type { NamespaceContents, TaskResult, Tasks } from '@dtplatform/queue';
import { removeMessages } from '../messages/messages.store.js';
import { touched } from '../nameduseritems/item-metadata.js';
import { checkConfigSize, MAX_UPDATE_LOGS, showTelemetryConfig } from './telemetry-config.js';
import type { TelemetryConfig } from './telemetry-config.js';
import { takenNameModel, telemetryConfigModel, waitingChangesModel } from './telemetry-configs.model.js';
import type { WaitingChange } from './telemetry-configs.model.js';
import { changeIn, createConfigNames, namesOf, placeOf } from './waiting-changes.store.js';

export type TelemetryConfigWriter = ReturnType<typeof createTelemetryConfigWriter>;

const GONE = { status: 204, statusMsg: 'No Content', body: null, batchCompleted: 1 };

export function createTelemetryConfigWriter(mongo: Mongo, tasks: Tasks) {
  const telemetryConfigs = mongo.model(telemetryConfigModel);
  const waitingChanges = mongo.model(waitingChangesModel);
  const configNames = createConfigNames(mongo, tasks);

  /** @throws an AppError if the change is rejected; nothing is written then */
  async function make(configId: string, waiting: WaitingChange, session: ClientSession): Promise<TaskResult> {
    const current = await telemetryConfigs.findById(configId).session(session).lean();
    if (!current) throw commonErrors.notFound();
    // The caller's rights were checked against another place.
    if (!isSamePlace(current, placeOf(waiting))) throw commonErrors.conflict();
    const { precondition, byId } = waiting;
    if (waiting.kind === 'delete' && waiting.change === undefined) {
      await deleteIfMatch(telemetryConfigs, configId, { precondition, session });
      return GONE;
    }
    const change = changeIn(waiting);
    checkConfigSize({ ...current, ...change });
    const at = Date.now();
    const log = { $each: [{ _updatedBy: byId, _updatedAt: at }], $slice: -MAX_UPDATE_LOGS };
    const update = { $set: { ...change, ...touched({ at, byId }) }, $push: { _updateLogs: log } };
    const changed = await updateIfMatch(telemetryConfigs, configId, update, { precondition, session });
    if (waiting.kind === 'delete') return GONE;
    await markGrants(mongo, waiting.grants ?? [], session);
    const { _updateLogs, ...body } = showTelemetryConfig(changed!);
    return { status: 200, body, batchCompleted: 1 };
  }

  async function makeAndEnd(configId: string, waiting: WaitingChange, session: ClientSession): Promise<void> {
    try {
      const result = await make(configId, waiting, session);
      await tasks.complete(waiting.taskId, result, session);
    } catch (error) {
      if (!isRejection(error)) throw error;
      await tasks.fail(waiting.taskId, failureOf(error), session);
    }
  }

  /** Frees names that neither the configuration nor a waiting change needs. */
  async function settle(configId: string, waiting: WaitingChange[], session: ClientSession): Promise<void> {
    const config = await telemetryConfigs.findById(configId).session(session).lean();
    if (!config) await removeMessages(mongo, configId, session);
    const needed = [...(config ? namesOf(config) : []), ...waiting.flatMap(({ names }) => names)];
    await configNames.keepOnly(needed, configId, session);
  }

  /** Applies the oldest waiting change. @returns false once that is the task's own, or none is left */
  const makeNext = (configId: string, taskId: string): Promise<boolean> =>
    mongo.transaction(async (session) => {
      // Concurrent tasks conflict here, and all but one retry.
      const pop = { $pop: { changes: -1 as const } };
      const before = await waitingChanges
        .findOneAndUpdate({ _id: configId }, pop, { session, returnDocument: 'before' })
        .lean();
      const [next, ...rest] = before?.changes ?? [];
      if (!next) {
        // The task has ended, or the configuration was deleted with its namespaces.
        await tasks.fail(taskId, failureOf(commonErrors.notFound()), session);
        return false;
      }
      const task = await tasks.get(next.taskId);
      const isOpen = task?._status === 'QUEUED' || task?._status === 'RUNNING';
      if (isOpen) await makeAndEnd(configId, next, session);
      if (rest.length === 0) await waitingChanges.deleteOne({ _id: configId }, { session });
      await settle(configId, rest, session);
      return next.taskId !== taskId;
    });

  return {
    /** Creates the configuration and completes its task, unless the task has already ended. */
    async create(config: TelemetryConfig, taskId: string): Promise<void> {
      const result = { status: 201, statusMsg: 'Created', body: showTelemetryConfig(config), batchCompleted: 1 };
      await mongo.transaction(async (session) => {
        if (await tasks.complete(taskId, result, session)) await telemetryConfigs.insertMany([config], { session });
      });
    },

    /** Applies the waiting changes in order, up to the one of the task. */
    async change(configId: string, taskId: string): Promise<void> {
      while (await makeNext(configId, taskId));
    },
  };
}

const BATCH = 100;

/** Configurations of closed namespaces. One that is also in other namespaces stays there. */
export function createConfigContents(mongo: Mongo): NamespaceContents {
  const telemetryConfigs = mongo.model(telemetryConfigModel);
  const takenNames = mongo.model(takenNameModel);
  const waitingChanges = mongo.model(waitingChangesModel);

  const removeConfig = (id: string, closed: string[]) =>
    mongo.transaction(async (session) => {
      const names = await takenNames.find({ configId: id }, { _id: 1 }).session(session).lean();
      const left = names.filter(({ _id }) => closed.some((namespace) => _id.startsWith(`${namespace}/`)));
      await takenNames.deleteMany({ _id: oneOf(left.map(({ _id }) => _id)) }, { session });
      await telemetryConfigs.updateOne({ _id: id }, { $pullAll: { _namespaces: closed } }, { session });
      const { deletedCount } = await telemetryConfigs.deleteOne({ _id: id, _namespaces: [] }, { session });
      if (deletedCount === 0) return;
      await waitingChanges.deleteOne({ _id: id }, { session });
      await removeMessages(mongo, id, session);
    });

  return {
    async removeBatch(namespaces) {
      const held = { _namespaces: oneOf(namespaces) };
      const configs = await telemetryConfigs.find(held, { _id: 1 }).limit(BATCH).lean();
      for (const { _id } of configs) await removeConfig(_id, namespaces);
      return configs.length > 0;
    },
  };
}
