import type { Month } from '../../domain/metrics/hours.js';
import type { SeriesName } from '../../domain/metrics/series-name.js';

export const seriesId = ({ namespace, metric, values }: SeriesName): string => idOf([namespace, metric, ...values]);
export const monthId = (series: string, month: Month): string => `${series}/${month}`;
export const aliasId = (namespace: string, path: string[]): string => idOf([namespace, ...path]);

/** Parts are encoded, because they may contain a slash. */
const idOf = (parts: string[]) => parts.map(encodeURIComponent).join('/');
