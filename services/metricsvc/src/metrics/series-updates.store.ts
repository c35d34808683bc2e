import { aliasId, monthId } from './metrics.model.js';
import { hourOfMonth, monthOf } from './period.js';
import type { Month } from './period.js';
import { seriesKey } from './series.js';
import type { Alias, SeriesChange, UnknownUsage } from './usage.js';

const upsertOf = (_id: string, update: Record<string, object>) => ({
  updateOne: { filter: { _id }, update, upsert: true },
});

export function seriesUpdate({ series, hours }: SeriesChange) {
  const $inc: Record<string, number> = { writes: 1 };
  for (const [hour, amount] of hours) {
    for (const field of ['value', `months.${monthOf(hour)}`]) $inc[field] = ($inc[field] ?? 0) + amount;
  }
  return upsertOf(seriesKey(series), { $inc });
}

export function monthUpdates({ series, hours }: SeriesChange) {
  const byMonth = new Map<Month, Record<string, number>>();
  for (const [hour, amount] of hours) {
    const month = monthOf(hour);
    const $inc = byMonth.get(month) ?? {};
    $inc[`hours.${hourOfMonth(hour, month)}`] = amount;
    byMonth.set(month, $inc);
  }
  return [...byMonth].map(([month, $inc]) => upsertOf(monthId(seriesKey(series), month), { $inc }));
}

export const aliasUpdate = ({ namespace, path, value }: Alias) =>
  upsertOf(aliasId(namespace, path), { $set: { value } });

export const keptUpdate = ({ _id, amount, ...usage }: UnknownUsage) => upsertOf(_id, { $set: usage, $inc: { amount } });
