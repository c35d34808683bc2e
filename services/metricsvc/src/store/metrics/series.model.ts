import { modelOf } from '@dtplatform/mongo';
import { Series, SeriesMonth } from '../../domain/metrics/series.js';

export const seriesModel = modelOf('series', Series);
export const seriesMonthModel = modelOf('series_months', SeriesMonth);
