import { matchesPrecondition } from '@dtplatform/contracts';
import { commonErrors } from '@dtplatform/errors';
import { isDuplicateKey, newId, noneOf, oneOf } from '@dtplatform/mongo';
import type { ClientSession, Mongo } from '@dtplatform/mongo';
import { homeOf, isSamePlace } from '@dtplatform/permissions';
import type { Placed } from '@dtplatform/permissions';
import type { MessageType, TaskPayload, Tasks } from '@dtplatform/queue';
import { errors } from '../errors.js';
import type { TelemetryConfig, TelemetryConfigChange } from './telemetry-config.js';
import type { AcceptedRequest, WantedChange } from './telemetry-configs.js';
import { takenNameModel, telemetryConfigModel, waitingChangesModel } from './telemetry-configs.model.js';
import type { WaitingChange } from './telemetry-configs.model.js';

const MAX_ATTEMPTS = 3;

/** Ids of the `TakenName`s of a configuration. */
export const namesOf = ({ _namespaces, _shortName }: Pick<TelemetryConfig, '_namespaces' | '_shortName'>): string[] =>
  _namespaces.map((namespace) => `${namespace}/${_shortName}`);

/** Names of configurations, and names reserved by accepted writes. */
export function createConfigNames(mongo: Mongo, tasks: Tasks) {
  const takenNames = mongo.model(takenNameModel);
  const telemetryConfigs = mongo.model(telemetryConfigModel);

  /**
   * Frees names that failed creations still reserve. @returns false if another configuration has, or is about to get,
   * one of the names
   */
  async function releaseDead(names: string[], configId: string): Promise<boolean> {
    const found = await takenNames.find({ _id: oneOf(names) }).lean();
    const foreign = found.filter((name) => name.configId !== configId);
    const holders = await tasks.getMany(foreign.map(({ taskId }) => taskId));
    if (!holders.every((task) => task?._status === 'ERROR')) return false;
    // A failed change may have reserved a name that its configuration has since got.
    if (await telemetryConfigs.exists({ _id: oneOf(foreign.map((name) => name.configId)) })) return false;
    for (const { _id, taskId } of foreign) await takenNames.deleteOne({ _id, taskId });
    return true;
  }

  return {
    /**
     * Runs a transaction that reserves names, and retries it after freeing a name or losing a race.
     * @throws 400 if a name is taken
     */
    async whileReserving<T>(names: string[], configId: string, transaction: () => Promise<T>): Promise<T> {
      for (let attempt = 1; ; attempt++) {
        try {
          return await transaction();
        } catch (error) {
          if (!isDuplicateKey(error)) throw error;
          const isFree = await releaseDead(names, configId);
          if (!isFree || attempt === MAX_ATTEMPTS) throw errors.shortNameTaken({ cause: error });
        }
      }
    },

    /** Reserves the names that the configuration does not have yet. @throws a duplicate key error */
    async reserve(
      names: string[],
      holder: { configId: string; taskId: string },
      session: ClientSession,
    ): Promise<void> {
      const { configId } = holder;
      const own = await takenNames
        .find({ _id: oneOf(names), configId }, { _id: 1 })
        .session(session)
        .lean();
      const missing = names.filter((name) => !own.some(({ _id }) => _id === name));
      await takenNames.insertMany(
        missing.map((_id) => ({ _id, ...holder })),
        { session },
      );
    },

    async keepOnly(needed: string[], configId: string, session: ClientSession): Promise<void> {
      await takenNames.deleteMany({ configId, _id: noneOf(needed) }, { session });
    },
  };
}

/** Input of the task that changes a configuration. */
export interface ChangeConfigInput {
  configId: string;
}

/** Per configuration, so that they fit into one document. */
const MAX_WAITING = 10;

interface Deps {
  mongo: Mongo;
  tasks: Tasks;
  changeMessage: MessageType<TaskPayload>;
}

export function createWaitingChanges({ mongo, tasks, changeMessage }: Deps) {
  const telemetryConfigs = mongo.model(telemetryConfigModel);
  const waitingChanges = mongo.model(waitingChangesModel);
  const names = createConfigNames(mongo, tasks);

  const waitingFor = async (configId: string, session?: ClientSession): Promise<WaitingChange[]> =>
    (
      await waitingChanges
        .findById(configId)
        .session(session ?? null)
        .lean()
    )?.changes ?? [];

  async function accept(entry: WaitingChange, configId: string, bodyBytes: number, session: ClientSession) {
    const stored = await telemetryConfigs.findById(configId).session(session).lean();
    if (!stored) throw commonErrors.notFound();
    if (!matchesPrecondition(stored, entry.precondition)) throw commonErrors.preconditionFailed();
    const waiting = await waitingFor(configId, session);
    if (!isSamePlace(placeAfter(stored, waiting), placeOf(entry))) throw commonErrors.conflict();
    if (waiting.length >= MAX_WAITING) throw commonErrors.tooManyRequests();
    await names.reserve(entry.names, { configId, taskId: entry.taskId }, session);
    await waitingChanges.updateOne({ _id: configId }, { $push: { changes: entry } }, { session, upsert: true });
    return tasks.create<ChangeConfigInput>(session, {
      id: entry.taskId,
      message: changeMessage,
      namespaces: stored._namespaces,
      input: { configId },
      createdById: entry.byId,
      reqBodySize: bodyBytes,
    });
  }

  return {
    /** The place of a configuration once all accepted changes are applied. */
    placeAfterWaiting: async (config: TelemetryConfig): Promise<Placed> =>
      placeAfter(config, await waitingFor(config._id)),

    /**
     * Accepts a change. Changes of one configuration are applied in order of acceptance. @returns the id of the task
     * @param placeAfterWaiting what the caller's rights were checked against
     * @throws 400 if a short name is taken, 404 if the configuration is gone, 409 if its place will differ, 412 for
     * another revision, 429 if too many changes wait
     */
    acceptChange(
      config: TelemetryConfig,
      wanted: WantedChange,
      placeAfterWaiting: Placed,
      request: AcceptedRequest,
    ): Promise<string> {
      const entry = newChange(wanted, placeAfterWaiting, request);
      return names.whileReserving(entry.names, config._id, () =>
        mongo.transaction((session) => accept(entry, config._id, request.bodyBytes, session)),
      );
    },
  };
}

function newChange(wanted: WantedChange, place: Placed, { byId }: AcceptedRequest): WaitingChange {
  const { kind, precondition } = wanted;
  const namespaces = place._namespaces;
  const common = { taskId: newId(), kind, namespaces, home: homeOf(place), byId, at: Date.now() };
  const bound = precondition && { precondition: [...precondition] };
  if (kind === 'delete') {
    const change = wanted.left && JSON.stringify(wanted.left);
    // A deletion takes no new names.
    return { ...common, ...bound, ...(change !== undefined && { change }), names: [] };
  }
  const { change, grants } = wanted;
  return {
    ...common,
    ...bound,
    grants,
    change: JSON.stringify(change),
    names: namesOf({ _namespaces: namespaces, ...change }),
  };
}

function placeAfter(config: Placed, waiting: WaitingChange[]): Placed {
  const { _namespaces, _home } = waiting.map(changeIn).findLast((change) => change._namespaces !== undefined) ?? {};
  return _namespaces ? { _namespaces, _home } : { _namespaces: config._namespaces, _home: homeOf(config) };
}

/** The place that the configuration must have when the change is applied. */
export const placeOf = ({ namespaces, home }: WaitingChange): Placed => ({ _namespaces: namespaces, _home: home });

export const changeIn = ({ change }: WaitingChange): Partial<TelemetryConfigChange & { _home: string }> =>
  change === undefined ? {} : (JSON.parse(change) as TelemetryConfigChange);
