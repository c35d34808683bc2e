import type { Month } from '../../domain/metrics/hours.js';
import type { SeriesName } from '../../domain/metrics/series-name.js';

export const seriesId = ({ namespace, metric, values }: SeriesName): string => idOf([namespace, metric, ...values]);
export const monthId = (series: string, month: Month): string => `${series}/${month}`;
export const aliasId = (namespace: string, path: string[]): string => idOf([namespace, ...path]);

/** The ids of all series and aliases of a namespace: those that begin with it and a slash. */
export function idsOfNamespace(namespace: string) {
  const start = idOf([namespace]);
  return { $gte: `${start}/`, $lt: `${start}0` };
}

/** Parts are encoded, because they may contain a slash. */
const idOf = (parts: string[]) => parts.map(encodeURIComponent).join('/');
