import { defineModel, id, modelOf } from '@dtplatform/mongo';
import type { Month } from './period.js';
import { DimensionAlias, keyOf, Series, SeriesMonth } from './series.js';
import { AppliedMessage, UnknownUsage } from './usage.js';

export const seriesModel = modelOf('series', Series);
export const seriesMonthModel = modelOf('series_months', SeriesMonth);
export const dimensionAliasModel = modelOf('dimension_aliases', DimensionAlias);

/** Longer than a sender may be down between a delivery and its record of it. */
const REMEMBER_APPLIED_SEC = 14 * 24 * 3600;

export const appliedMessageModel = modelOf('applied_messages', AppliedMessage, {
  indexes: [{ key: { at: 1 }, name: 'expiry', expireAfterSeconds: REMEMBER_APPLIED_SEC }],
});

export const unknownUsageModel = modelOf('unknown_usage', UnknownUsage, {
  indexes: [
    { key: { metric: 1 }, name: 'metric' },
    { key: { namespace: 1 }, name: 'namespace' },
  ],
});

/** A namespace of a deleted workspace; its usage is no longer added. */
export interface ClosedNamespace {
  /** The namespace. */
  _id: string;
  closedAt: Date;
}

export const closedNamespaceModel = defineModel<ClosedNamespace>('closed_namespaces', { _id: id, closedAt: Date });

export const monthId = (series: string, month: Month): string => `${series}/${month}`;
export const aliasId = (namespace: string, path: string[]): string => keyOf([namespace, ...path]);

/** Matches all series and aliases of a namespace. */
export const idsOfNamespace = (namespace: string) => idsBelow(keyOf([namespace]));

/** Matches ids that start with a key and a slash. */
export const idsBelow = (key: string) => ({ $gte: `${key}/`, $lt: `${key}0` });
