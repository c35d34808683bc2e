import { createHash } from 'node:crypto';
import { z } from 'zod';
import { UsageRecorded } from '@dtplatform/contracts';
import { isMetric, METRICS } from './metric-catalogue.js';
import type { MetricName } from './metric-catalogue.js';
import { startOfHour } from './period.js';
import { seriesOfChange } from './series.js';
import type { SeriesName } from './series.js';

/** Marks a message as added. Expires long after the last delivery. */
export const AppliedMessage = z.object({ _id: z.string(), at: z.date() });
export type AppliedMessage = z.infer<typeof AppliedMessage>;

const Change = UsageRecorded.shape._changes.element;
type Change = z.infer<typeof Change>;

/** Hourly sums of a metric that this version does not support, set aside for one that does. */
export const UnknownUsage = z.object({
  _id: z.string(),
  namespace: UsageRecorded.shape._namespace,
  metric: Change.shape._metric,
  dimensions: Change.shape._dimensions,
  aliases: Change.shape._aliases,
  /** Start of the hour, in milliseconds since 1970. */
  at: z.number(),
  amount: z.number(),
});
export type UnknownUsage = z.infer<typeof UnknownUsage>;

function unknownUsageOf(
  namespace: string,
  atMs: number,
  { _metric: metric, _dimensions: dimensions, _aliases: aliases, _amount: amount }: Change,
): UnknownUsage {
  const at = startOfHour(atMs);
  const identity = JSON.stringify([namespace, metric, at, Object.entries(dimensions).sort()]);
  const _id = createHash('sha256').update(identity).digest('hex');
  return { _id, namespace, metric, dimensions, ...(aliases && { aliases }), at, amount };
}

export const usageOfUnknown = ({
  namespace,
  metric,
  dimensions,
  aliases,
  at,
  amount,
}: UnknownUsage): UsageRecorded => ({
  _namespace: namespace,
  _at: at,
  _changes: [{ _metric: metric, _dimensions: dimensions, ...(aliases && { _aliases: aliases }), _amount: amount }],
});

/** Hours are identified by their start, in milliseconds since 1970. */
export interface SeriesChange {
  series: SeriesName;
  hours: Map<number, number>;
}

/** `path` contains the dimensions and values down to it, and ends with the alias. */
export interface Alias {
  namespace: string;
  path: string[];
  value: string;
}

export interface FoldedUsage {
  changes: SeriesChange[];
  aliases: Alias[];
  /** Changes of metrics that are not in the catalogue. */
  unknown: UnknownUsage[];
}

/**
 * Sums up messages, so that each series is written once. A change counts in one series per prefix of its dimensions, so
 * that reading a wider series needs no aggregation.
 * @param nowMs later times count as this one, because clocks of senders differ
 */
export function foldUsage(messages: UsageRecorded[], nowMs: number): FoldedUsage {
  const changes = new Map<string, SeriesChange>();
  const aliases = new Map<string, Alias>();
  const unknown = new Map<string, UnknownUsage>();
  for (const { _namespace, _at, _changes } of messages) {
    const hour = startOfHour(Math.max(Math.min(_at, nowMs), 0));
    for (const change of _changes) {
      const { _metric, _dimensions, _aliases, _amount } = change;
      if (!isMetric(_metric)) {
        const usage = unknownUsageOf(_namespace, hour, change);
        unknown.set(usage._id, { ...usage, amount: usage.amount + (unknown.get(usage._id)?.amount ?? 0) });
        continue;
      }
      for (const series of seriesOfChange(_namespace, _metric, _dimensions)) {
        const key = JSON.stringify(series);
        const change = changes.get(key) ?? { series, hours: new Map<number, number>() };
        change.hours.set(hour, (change.hours.get(hour) ?? 0) + _amount);
        changes.set(key, change);
      }
      for (const alias of aliasesOf(_namespace, _metric, _dimensions, _aliases ?? {})) {
        aliases.set(JSON.stringify(alias), alias);
      }
    }
  }
  return { changes: [...changes.values()], aliases: [...aliases.values()], unknown: [...unknown.values()] };
}

function aliasesOf(
  namespace: string,
  metric: MetricName,
  dimensions: Record<string, string>,
  names: Record<string, string>,
): Alias[] {
  const found: Alias[] = [];
  const above: string[] = [];
  for (const dimension of METRICS[metric]) {
    const value = dimensions[dimension];
    const name = names[dimension];
    if (value === undefined) break;
    if (name !== undefined) found.push({ namespace, path: [...above, dimension, name], value });
    above.push(dimension, value);
  }
  return found;
}

export interface UsageMessage {
  id: string;
  usage: UsageRecorded[];
}
