import type { Month } from '../../domain/metrics/hours.js';
import { keyOf } from '../../domain/metrics/series-name.js';

export { seriesKey as seriesId } from '../../domain/metrics/series-name.js';

export const monthId = (series: string, month: Month): string => `${series}/${month}`;
export const aliasId = (namespace: string, path: string[]): string => keyOf([namespace, ...path]);

/** The ids of all series and aliases of a namespace: those that begin with it and a slash. */
export const idsOfNamespace = (namespace: string) => idsBelow(keyOf([namespace]));

/** Ids that begin with a key and a slash. */
export const idsBelow = (key: string) => ({ $gte: `${key}/`, $lt: `${key}0` });
