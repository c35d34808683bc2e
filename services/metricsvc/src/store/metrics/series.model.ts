import { defineModel, id, json, number } from '@dtplatform/mongo';
import type { Series } from '../../domain/metrics/series.js';

export const seriesModel = defineModel<Series>('series', { _id: id, value: number, months: json });
