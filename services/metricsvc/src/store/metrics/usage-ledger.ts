import type { Logger } from '@dtplatform/logging';
import { trusted } from '@dtplatform/mongo';
import type { ClientSession, Model, Mongo } from '@dtplatform/mongo';
import { foldUsage } from '../../domain/metrics/fold-usage.js';
import type { Alias, SeriesChange } from '../../domain/metrics/fold-usage.js';
import { hourOfMonth, monthOf } from '../../domain/metrics/hours.js';
import type { Month } from '../../domain/metrics/hours.js';
import type { UsageLedger, UsageMessage } from '../../domain/metrics/ports.js';
import { appliedMessageModel } from './applied-message.model.js';
import { dimensionAliasModel } from './dimension-alias.model.js';
import { aliasId, monthId, seriesId } from './ids.js';
import { seriesMonthModel } from './series-month.model.js';
import { seriesModel } from './series.model.js';

/**
 * Adds usage in one transaction, together with a mark for each message. If two processes add the same message or change
 * the same series at the same time, one transaction is rolled back and retried, and then sees the other's marks.
 */
export function createUsageLedger(mongo: Mongo, log: Logger): UsageLedger {
  const series = mongo.model(seriesModel);
  const months = mongo.model(seriesMonthModel);
  const aliases = mongo.model(dimensionAliasModel);
  const applied = mongo.model(appliedMessageModel);

  async function notYetAdded(messages: UsageMessage[], session: ClientSession): Promise<UsageMessage[]> {
    const distinct = new Map(messages.map((message) => [message.id, message]));
    const known = await applied.find({ _id: trusted({ $in: [...distinct.keys()] }) }, null, { session, lean: true });
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
        await upsert(series, changes.map(seriesUpdate), session);
        await upsert(months, changes.flatMap(monthUpdates), session);
        await upsert(aliases, names.map(aliasUpdate), session);
      }),
  };
}

/** A change of one document, which is created if it is missing. */
interface Upsert {
  _id: string;
  update: Record<string, Record<string, unknown>>;
}

async function upsert<T>(model: Model<T>, upserts: Upsert[], session: ClientSession): Promise<void> {
  const operations = upserts.map(({ _id, update }) => ({ updateOne: { filter: { _id }, update, upsert: true } }));
  if (operations.length > 0) await model.bulkWrite(operations, { session });
}

function seriesUpdate({ series, hours }: SeriesChange): Upsert {
  const $inc: Record<string, number> = { value: 0 };
  for (const [hour, amount] of hours) {
    $inc.value! += amount;
    const field = `months.${monthOf(hour)}`;
    $inc[field] = ($inc[field] ?? 0) + amount;
  }
  return { _id: seriesId(series), update: { $inc } };
}

function monthUpdates({ series, hours }: SeriesChange): Upsert[] {
  const byMonth = new Map<Month, Record<string, number>>();
  for (const [hour, amount] of hours) {
    const month = monthOf(hour);
    const $inc = byMonth.get(month) ?? {};
    $inc[`hours.${hourOfMonth(hour, month)}`] = amount;
    byMonth.set(month, $inc);
  }
  const id = seriesId(series);
  return [...byMonth].map(([month, $inc]) => ({ _id: monthId(id, month), update: { $inc } }));
}

const aliasUpdate = ({ namespace, path, value }: Alias): Upsert => ({
  _id: aliasId(namespace, path),
  update: { $set: { value } },
});
