import { matchesPrecondition } from '@dtplatform/contracts';
import { commonErrors } from '@dtplatform/errors';
import { newId } from '@dtplatform/mongo';
import type { ClientSession, Mongo } from '@dtplatform/mongo';
import { homeOf, isSamePlace } from '@dtplatform/permissions';
import type { Placed } from '@dtplatform/permissions';
import type { MessageType, TaskPayload, Tasks } from '@dtplatform/queue';
import type { AcceptedRequest, TelemetryConfigStore, WantedChange } from '../../domain/telemetryconfigs/ports.js';
import type { TelemetryConfigChange } from '../../domain/telemetryconfigs/telemetry-config.js';
import { createConfigNames, namesOf } from './config-names.js';
import { telemetryConfigModel } from './telemetry-config.model.js';
import { waitingChangesModel } from './waiting-changes.model.js';
import type { WaitingChange } from './waiting-changes.model.js';

/** What the processor of a change works on. */
export interface ChangeConfigInput {
  configId: string;
}

/** Of one configuration. Together they stay below the size of one document. */
const MAX_WAITING = 10;

interface Deps {
  mongo: Mongo;
  tasks: Tasks;
  /** Carries the task of a change. */
  changeMessage: MessageType<TaskPayload>;
}

/** Accepts changes of configurations. */
export function createWaitingChanges({
  mongo,
  tasks,
  changeMessage,
}: Deps): Pick<TelemetryConfigStore, 'comingPlace' | 'acceptChange'> {
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
    if (!isSamePlace(comingAfter(stored, waiting), placeOf(entry))) throw commonErrors.conflict();
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
    comingPlace: async (config) => comingAfter(config, await waitingFor(config._id)),

    acceptChange(config, wanted, comingPlace, request) {
      const entry = newChange(wanted, comingPlace, request);
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
    // It takes no new names.
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

/** Where a configuration is once these changes are made. */
function comingAfter(config: Placed, waiting: WaitingChange[]): Placed {
  const { _namespaces, _home } = waiting.map(changeIn).findLast((change) => change._namespaces !== undefined) ?? {};
  return _namespaces ? { _namespaces, _home } : { _namespaces: config._namespaces, _home: homeOf(config) };
}

/** Where the configuration must be when the change is made. */
export const placeOf = ({ namespaces, home }: WaitingChange): Placed => ({ _namespaces: namespaces, _home: home });

/** The fields that an accepted change sets. */
export const changeIn = ({ change }: WaitingChange): Partial<TelemetryConfigChange & { _home: string }> =>
  change === undefined ? {} : (JSON.parse(change) as TelemetryConfigChange);
