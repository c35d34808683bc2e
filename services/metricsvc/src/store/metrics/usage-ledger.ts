import type { AnyBulkWriteOperation, ClientSession, Document } from 'mongodb';
import type { Logger } from '@dtplatform/logging';
import type { Mongo } from '@dtplatform/mongo';
import type { DimensionAlias } from '../../domain/metrics/dimension-alias.js';
import { foldUsage } from '../../domain/metrics/fold-usage.js';
import type { Alias, SeriesChange } from '../../domain/metrics/fold-usage.js';
import { hourOfMonth, monthOf } from '../../domain/metrics/hours.js';
import type { Month } from '../../domain/metrics/hours.js';
import type { UsageLedger, UsageMessage } from '../../domain/metrics/ports.js';
import type { Series, SeriesMonth } from '../../domain/metrics/series.js';
import { aliasId, collections, monthId, seriesId } from './collections.js';

/**
 * Adds usage in one transaction, together with a mark for each message. If two processes add the same message or change
 * the same series at the same time, one transaction is rolled back and retried, and then sees the other's marks.
 */
export function createUsageLedger(mongo: Mongo, log: Logger): UsageLedger {
  const { series, months, aliases, applied } = collections(mongo.db);

  async function notYetAdded(messages: UsageMessage[], session: ClientSession): Promise<UsageMessage[]> {
    const distinct = new Map(messages.map((message) => [message.id, message]));
    const known = await applied.find({ _id: { $in: [...distinct.keys()] } }, { session }).toArray();
    for (const { _id } of known) distinct.delete(_id);
    return [...distinct.values()];
  }

  return {
    add: (messages) =>
      mongo.transaction(async (session) => {
        const fresh = await notYetAdded(messages, session);
        if (fresh.length === 0) return;
        const now = Date.now();
        const usage = fresh.map((message) => message.usage);
        const { changes, aliases: names, unknown } = foldUsage(usage, now);
        if (unknown.length > 0) log.error({ metrics: unknown }, 'usage of unknown metrics ignored');

        const marks = fresh.map(({ id }) => ({ _id: id, at: new Date(now) }));
        await applied.insertMany(marks, { session });
        await write(series, changes.map(seriesUpdate), session);
        await write(months, changes.flatMap(monthUpdates), session);
        await write(aliases, names.map(aliasUpdate), session);
      }),
  };
}

interface BulkWritable<D extends Document> {
  bulkWrite(operations: AnyBulkWriteOperation<D>[], options: { session: ClientSession }): Promise<unknown>;
}

async function write<D extends Document>(
  collection: BulkWritable<D>,
  operations: AnyBulkWriteOperation<D>[],
  session: ClientSession,
): Promise<void> {
  if (operations.length > 0) await collection.bulkWrite(operations, { session });
}

function seriesUpdate({ series, hours }: SeriesChange): AnyBulkWriteOperation<Series> {
  const $inc: Record<string, number> = { value: 0 };
  for (const [hour, amount] of hours) {
    $inc.value! += amount;
    const field = `months.${monthOf(hour)}`;
    $inc[field] = ($inc[field] ?? 0) + amount;
  }
  return { updateOne: { filter: { _id: seriesId(series) }, update: { $inc }, upsert: true } };
}

function monthUpdates({ series, hours }: SeriesChange): AnyBulkWriteOperation<SeriesMonth>[] {
  const byMonth = new Map<Month, Record<string, number>>();
  for (const [hour, amount] of hours) {
    const month = monthOf(hour);
    const $inc = byMonth.get(month) ?? {};
    $inc[`hours.${hourOfMonth(hour, month)}`] = amount;
    byMonth.set(month, $inc);
  }
  const id = seriesId(series);
  return [...byMonth].map(([month, $inc]) => ({
    updateOne: { filter: { _id: monthId(id, month) }, update: { $inc }, upsert: true },
  }));
}

const aliasUpdate = ({ namespace, path, value }: Alias): AnyBulkWriteOperation<DimensionAlias> => ({
  updateOne: { filter: { _id: aliasId(namespace, path) }, update: { $set: { value } }, upsert: true },
});
