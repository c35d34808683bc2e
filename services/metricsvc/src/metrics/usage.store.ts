import type { UsageRecorded } from '@dtplatform/contracts';
import type { Logger } from '@dtplatform/logging';
import { oneOf } from '@dtplatform/mongo';
import type { ClientSession, Mongo } from '@dtplatform/mongo';
import { METRIC_NAMES } from './metric-catalogue.js';
import {
  appliedMessageModel,
  closedNamespaceModel,
  dimensionAliasModel,
  seriesModel,
  seriesMonthModel,
  unknownUsageModel,
} from './metrics.model.js';
import { aliasUpdate, keptUpdate, monthUpdates, seriesUpdate } from './series-updates.store.js';
import { foldUsage, usageOfUnknown } from './usage.js';
import type { FoldedUsage, UsageMessage } from './usage.js';

const KEPT_BATCH = 1_000;

/**
 * Adds usage in one transaction that also marks each message as applied. If two processes add the same message or
 * change the same series, one transaction retries and then sees the other's marks.
 */
export function createUsageLedger(mongo: Mongo, log: Logger) {
  const series = mongo.model(seriesModel);
  const months = mongo.model(seriesMonthModel);
  const aliases = mongo.model(dimensionAliasModel);
  const applied = mongo.model(appliedMessageModel);
  const kept = mongo.model(unknownUsageModel);
  const closedNamespaces = mongo.model(closedNamespaceModel);

  async function notYetAdded(messages: UsageMessage[], session: ClientSession): Promise<UsageMessage[]> {
    const distinct = new Map(messages.map((message) => [message.id, message]));
    const known = await applied.find({ _id: oneOf([...distinct.keys()]) }, null, { session, lean: true });
    for (const { _id } of known) distinct.delete(_id);
    return [...distinct.values()];
  }

  /** Without this, metrics of deleted workspaces would reappear when services record the removal of their data. */
  async function inOpenNamespaces(usage: UsageRecorded[], session: ClientSession): Promise<UsageRecorded[]> {
    const named = { _id: oneOf(new Set(usage.map(({ _namespace }) => _namespace))) };
    const closed = await closedNamespaces.find(named, null, { session, lean: true });
    const ids = new Set(closed.map(({ _id }) => _id));
    return usage.filter(({ _namespace }) => !ids.has(_namespace));
  }

  async function write({ changes, aliases: names, unknown }: FoldedUsage, session: ClientSession): Promise<void> {
    await series.bulkWrite(changes.map(seriesUpdate), { session });
    await months.bulkWrite(changes.flatMap(monthUpdates), { session });
    await aliases.bulkWrite(names.map(aliasUpdate), { session });
    if (unknown.length === 0) return;
    const metrics = [...new Set(unknown.map(({ metric }) => metric))];
    log.warn({ metrics }, 'usage of unknown metrics is kept until a version supports them');
    await kept.bulkWrite(unknown.map(keptUpdate), { session });
  }

  const addBatch = () =>
    mongo.transaction(async (session) => {
      const known = await kept.find({ metric: oneOf(METRIC_NAMES) }, null, { session, lean: true }).limit(KEPT_BATCH);
      if (known.length === 0) return 0;
      await kept.deleteMany({ _id: oneOf(known.map(({ _id }) => _id)) }, { session });
      const usage = await inOpenNamespaces(known.map(usageOfUnknown), session);
      await write(foldUsage(usage, Date.now()), session);
      return known.length;
    });

  return {
    /** Adds all messages to their series, or none. Skips messages that were added before. */
    add: (messages: UsageMessage[]): Promise<void> =>
      mongo.transaction(async (session) => {
        const fresh = await notYetAdded(messages, session);
        if (fresh.length === 0) return;
        const now = Date.now();
        const marks = fresh.map(({ id }) => ({ _id: id, at: new Date(now) }));
        await applied.insertMany(marks, { session });
        const usage = await inOpenNamespaces(
          fresh.flatMap(({ usage: messages }) => messages),
          session,
        );
        await write(foldUsage(usage, now), session);
      }),

    /** Adds usage that was set aside for metrics that this version supports. @returns the number of changes */
    async addKept(): Promise<number> {
      let total = 0;
      for (let count = KEPT_BATCH; count === KEPT_BATCH; total += count) count = await addBatch();
      return total;
    },

    countKept: (): Promise<number> => kept.estimatedDocumentCount(),
  };
}

export type UsageLedger = ReturnType<typeof createUsageLedger>;
