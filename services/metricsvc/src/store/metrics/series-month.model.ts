import { defineModel, id, json } from '@dtplatform/mongo';
import type { SeriesMonth } from '../../domain/metrics/series.js';

export const seriesMonthModel = defineModel<SeriesMonth>('series_months', { _id: id, hours: json });
