import { commonErrors } from '@dtplatform/errors';
import { newId } from '@dtplatform/mongo';
import type { ClientSession, Mongo } from '@dtplatform/mongo';
import type { MessageType, TaskPayload, Tasks } from '@dtplatform/queue';
import { matchesPrecondition } from '@dtplatform/resource';
import type { AcceptedRequest, TelemetryConfigStore, WantedChange } from '../../domain/telemetryconfigs/ports.js';
import type { TelemetryConfig, TelemetryConfigChange } from '../../domain/telemetryconfigs/telemetry-config.js';
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
}: Deps): Pick<TelemetryConfigStore, 'comingNamespaces' | 'acceptChange'> {
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
    if (!areSame(comingAfter(stored, waiting), entry.namespaces)) throw commonErrors.conflict();
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
    comingNamespaces: async (config) => comingAfter(config, await waitingFor(config._id)),

    acceptChange(config, wanted, comingNamespaces, request) {
      const entry = newChange(wanted, comingNamespaces, request);
      return names.whileReserving(entry.names, config._id, () =>
        mongo.transaction((session) => accept(entry, config._id, request.bodyBytes, session)),
      );
    },
  };
}

function newChange(wanted: WantedChange, namespaces: string[], { byId }: AcceptedRequest): WaitingChange {
  const { kind, precondition } = wanted;
  const common = { taskId: newId(), kind, namespaces, byId, at: Date.now() };
  const bound = precondition && { precondition: [...precondition] };
  if (kind === 'delete') return { ...common, ...bound, names: [] };
  const { change } = wanted;
  return {
    ...common,
    ...bound,
    change: JSON.stringify(change),
    names: namesOf({ _namespaces: namespaces, ...change }),
  };
}

/** The namespaces of a configuration once these changes are made. */
function comingAfter({ _namespaces }: Pick<TelemetryConfig, '_namespaces'>, waiting: WaitingChange[]): string[] {
  const changes = waiting.map((one) => changeIn(one)._namespaces);
  return changes.findLast((namespaces) => namespaces !== undefined) ?? _namespaces;
}

/** The fields that an accepted change sets. */
export const changeIn = ({ change }: WaitingChange): Partial<TelemetryConfigChange> =>
  change === undefined ? {} : (JSON.parse(change) as TelemetryConfigChange);

/** Whether two lists hold the same namespaces, in any order. */
export const areSame = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((namespace) => other.includes(namespace));
