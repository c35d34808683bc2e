import type { Db } from 'mongodb';
import type { AppliedMessage } from '../../domain/metrics/applied-message.js';
import type { DimensionAlias } from '../../domain/metrics/dimension-alias.js';
import type { Month } from '../../domain/metrics/hours.js';
import type { SeriesName } from '../../domain/metrics/series-name.js';
import type { Series, SeriesMonth } from '../../domain/metrics/series.js';

export const seriesId = ({ namespace, metric, values }: SeriesName): string => idOf([namespace, metric, ...values]);
export const monthId = (series: string, month: Month): string => `${series}/${month}`;
export const aliasId = (namespace: string, path: string[]): string => idOf([namespace, ...path]);

/** Parts are encoded, because they may contain a slash. */
const idOf = (parts: string[]) => parts.map(encodeURIComponent).join('/');

export const collections = (db: Db) => ({
  series: db.collection<Series>('series'),
  months: db.collection<SeriesMonth>('series_months'),
  aliases: db.collection<DimensionAlias>('dimension_aliases'),
  applied: db.collection<AppliedMessage>('applied_messages'),
});
