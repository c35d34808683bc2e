import type { UsageRecorded } from '@dtplatform/contracts';
import { startOfHour } from './hours.js';
import { isMetric, METRICS } from './metric-catalogue.js';
import type { MetricName } from './metric-catalogue.js';
import { seriesOfChange } from './series-name.js';
import type { SeriesName } from './series-name.js';
import { unknownUsageOf } from './unknown-usage.js';
import type { UnknownUsage } from './unknown-usage.js';

/** What messages add to one series. Hours are identified by their start, in milliseconds since 1970. */
export interface SeriesChange {
  series: SeriesName;
  hours: Map<number, number>;
}

/** A second name of a dimension's value. `path` holds the dimensions and values down to it and ends with this name. */
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
 * Sums messages up, so that each series is written once for all of them. A change counts in one series for each prefix
 * of its dimensions, so that reading a wider series needs no summing.
 * @param nowMs later times count as this time, because the clocks of senders differ
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
