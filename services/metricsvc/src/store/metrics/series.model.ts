import { defineModel, id, json, number } from '@dtplatform/mongo';
import type { Series, SeriesMonth } from '../../domain/metrics/series.js';

export const seriesModel = defineModel<Series>('series', {
  _id: id,
  value: number,
  months: json,
  writes: number,
});
export const seriesMonthModel = defineModel<SeriesMonth>('series_months', { _id: id, hours: json });
