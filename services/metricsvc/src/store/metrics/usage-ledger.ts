import type { UsageRecorded } from '@dtplatform/contracts';
import type { Logger } from '@dtplatform/logging';
import { trusted } from '@dtplatform/mongo';
import type { ClientSession, Mongo } from '@dtplatform/mongo';
import { foldUsage } from '../../domain/metrics/fold-usage.js';
import type { Alias, FoldedUsage, SeriesChange } from '../../domain/metrics/fold-usage.js';
import { hourOfMonth, monthOf } from '../../domain/metrics/hours.js';
import type { Month } from '../../domain/metrics/hours.js';
import { METRIC_NAMES } from '../../domain/metrics/metric-catalogue.js';
import type { UsageLedger, UsageMessage } from '../../domain/metrics/ports.js';
import { usageOfUnknown } from '../../domain/metrics/unknown-usage.js';
import type { UnknownUsage } from '../../domain/metrics/unknown-usage.js';
import { closedNamespaceModel } from '../namespaces/closed-namespace.model.js';
import { appliedMessageModel } from './applied-message.model.js';
import { dimensionAliasModel } from './dimension-alias.model.js';
import { aliasId, monthId, seriesId } from './ids.js';
import { seriesModel, seriesMonthModel } from './series.model.js';
import { unknownUsageModel } from './unknown-usage.model.js';

const KEPT_BATCH = 1_000;

/**
 * Adds usage in one transaction, together with a mark for each message. If two processes add the same message or change
 * the same series at the same time, one transaction is rolled back and retried, and then sees the other's marks.
 */
export function createUsageLedger(mongo: Mongo, log: Logger): UsageLedger {
  const series = mongo.model(seriesModel);
  const months = mongo.model(seriesMonthModel);
  const aliases = mongo.model(dimensionAliasModel);
  const applied = mongo.model(appliedMessageModel);
  const kept = mongo.model(unknownUsageModel);
  const closedNamespaces = mongo.model(closedNamespaceModel);

  async function notYetAdded(messages: UsageMessage[], session: ClientSession): Promise<UsageMessage[]> {
    const distinct = new Map(messages.map((message) => [message.id, message]));
    const known = await applied.find({ _id: trusted({ $in: [...distinct.keys()] }) }, null, { session, lean: true });
    for (const { _id } of known) distinct.delete(_id);
    return [...distinct.values()];
  }

  /** Metrics of deleted workspaces would otherwise come back with what services remove there. */
  async function inOpenNamespaces(usage: UsageRecorded[], session: ClientSession): Promise<UsageRecorded[]> {
    const named = { _id: trusted({ $in: [...new Set(usage.map(({ _namespace }) => _namespace))] }) };
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
    log.warn({ metrics }, 'usage of unknown metrics is kept for a version that knows them');
    await kept.bulkWrite(unknown.map(keptUpdate), { session });
  }

  const addBatch = () =>
    mongo.transaction(async (session) => {
      const known = await kept
        .find({ metric: trusted({ $in: METRIC_NAMES }) }, null, { session, lean: true })
        .limit(KEPT_BATCH);
      if (known.length === 0) return 0;
      await kept.deleteMany({ _id: trusted({ $in: known.map(({ _id }) => _id) }) }, { session });
      const usage = await inOpenNamespaces(known.map(usageOfUnknown), session);
      await write(foldUsage(usage, Date.now()), session);
      return known.length;
    });

  return {
    add: (messages) =>
      mongo.transaction(async (session) => {
        const fresh = await notYetAdded(messages, session);
        if (fresh.length === 0) return;
        const now = Date.now();
        const marks = fresh.map(({ id }) => ({ _id: id, at: new Date(now) }));
        await applied.insertMany(marks, { session });
        const usage = await inOpenNamespaces(
          fresh.map((message) => message.usage),
          session,
        );
        await write(foldUsage(usage, now), session);
      }),

    async addKept() {
      let total = 0;
      for (let count = KEPT_BATCH; count === KEPT_BATCH; total += count) count = await addBatch();
      return total;
    },

    countKept: () => kept.estimatedDocumentCount(),
  };
}

const upsertOf = (_id: string, update: Record<string, object>) => ({
  updateOne: { filter: { _id }, update, upsert: true },
});

function seriesUpdate({ series, hours }: SeriesChange) {
  const $inc: Record<string, number> = {};
  for (const [hour, amount] of hours) {
    for (const field of ['value', `months.${monthOf(hour)}`]) $inc[field] = ($inc[field] ?? 0) + amount;
  }
  return upsertOf(seriesId(series), { $inc });
}

function monthUpdates({ series, hours }: SeriesChange) {
  const byMonth = new Map<Month, Record<string, number>>();
  for (const [hour, amount] of hours) {
    const month = monthOf(hour);
    const $inc = byMonth.get(month) ?? {};
    $inc[`hours.${hourOfMonth(hour, month)}`] = amount;
    byMonth.set(month, $inc);
  }
  return [...byMonth].map(([month, $inc]) => upsertOf(monthId(seriesId(series), month), { $inc }));
}

const aliasUpdate = ({ namespace, path, value }: Alias) => upsertOf(aliasId(namespace, path), { $set: { value } });

const keptUpdate = ({ _id, amount, ...usage }: UnknownUsage) => upsertOf(_id, { $set: usage, $inc: { amount } });
