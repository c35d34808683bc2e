import type { Db } from 'mongodb';
import type { Month } from '../domain/hours.js';
import type { SeriesName } from '../domain/series-name.js';

/** One for each series. `_id` is `<namespace>/<metric>/<value>…`, so that one namespace's lie side by side. */
export interface SeriesDocument {
  _id: string;
  /** The value now: the sum of all months. */
  value: number;
  months: Record<Month, number>;
}

/** The changes of one series in one month. `_id` is the series' and the month: `…/2026-11`. */
export interface MonthDocument {
  _id: string;
  hours: Record<number, number>;
}

/** Another name of a dimension's value. `_id` is `<namespace>/<dimension>/<value>…`, the last one the other name. */
export interface AliasDocument {
  _id: string;
  value: string;
}

/** A message that was added; it expires when it can no longer come again. */
export interface AppliedDocument {
  _id: string;
  at: Date;
}

export const seriesId = ({ namespace, metric, values }: SeriesName): string => idOf([namespace, metric, ...values]);
export const monthId = (series: string, month: Month): string => `${series}/${month}`;
export const aliasId = (namespace: string, path: string[]): string => idOf([namespace, ...path]);

/** Encoded, so that no part can be taken for two. */
const idOf = (parts: string[]) => parts.map(encodeURIComponent).join('/');

export const collections = (db: Db) => ({
  series: db.collection<SeriesDocument>('series'),
  months: db.collection<MonthDocument>('series_months'),
  aliases: db.collection<AliasDocument>('dimension_aliases'),
  applied: db.collection<AppliedDocument>('applied_messages'),
});
