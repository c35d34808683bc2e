import type { AnyBulkWriteOperation, ClientSession, Document } from 'mongodb';
import type { Logger } from '@dtplatform/logging';
import type { Mongo } from '@dtplatform/mongo';
import { foldUsage } from '../domain/fold-usage.js';
import type { Alias, SeriesChange } from '../domain/fold-usage.js';
import { hourOfMonth, monthOf } from '../domain/hours.js';
import type { Month } from '../domain/hours.js';
import type { UsageLedger, UsageMessage } from '../domain/ports.js';
import { aliasId, collections, monthId, seriesId } from './documents.js';
import type { AliasDocument, MonthDocument, SeriesDocument } from './documents.js';

/**
 * Adds usage up in one transaction with a mark for each message. Of two processes that add the same message, or to the
 * same series, at the same time, one is rolled back and does it again: then it sees the mark.
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
        const folded = foldUsage(
          fresh.map(({ usage }) => usage),
          now,
        );
        if (folded.unknown.length > 0) log.error({ metrics: folded.unknown }, 'usage of unknown metrics is left out');

        await applied.insertMany(
          fresh.map(({ id }) => ({ _id: id, at: new Date(now) })),
          { session },
        );
        await write(series, folded.changes.map(seriesUpdate), session);
        await write(months, folded.changes.flatMap(monthUpdates), session);
        await write(aliases, folded.aliases.map(aliasUpdate), session);
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

function seriesUpdate({ series, hours }: SeriesChange): AnyBulkWriteOperation<SeriesDocument> {
  const $inc: Record<string, number> = { value: 0 };
  for (const [hour, amount] of hours) {
    $inc.value! += amount;
    const field = `months.${monthOf(hour)}`;
    $inc[field] = ($inc[field] ?? 0) + amount;
  }
  return { updateOne: { filter: { _id: seriesId(series) }, update: { $inc }, upsert: true } };
}

function monthUpdates({ series, hours }: SeriesChange): AnyBulkWriteOperation<MonthDocument>[] {
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

const aliasUpdate = ({ namespace, path, value }: Alias): AnyBulkWriteOperation<AliasDocument> => ({
  updateOne: { filter: { _id: aliasId(namespace, path) }, update: { $set: { value } }, upsert: true },
});
