import type { UsageChange, UsageRecount, UsageRecountQuery } from '@dtplatform/contracts';
import { isMetric } from '../metrics/metric-catalogue.js';
import type { MetricName } from '../metrics/metric-catalogue.js';
import { seriesKey, seriesOf, seriesOfChange } from '../metrics/series.js';
import type { SeriesName } from '../metrics/series.js';
import type { Alias, SeriesChange } from '../metrics/usage.js';

export interface UsageSource {
  /** Prefix of its metrics, such as `dtplatform.filesvc.`. */
  prefix: string;
  /** @throws a 503 AppError if the service is unavailable */
  recount(query: UsageRecountQuery, signal: AbortSignal): Promise<UsageRecount>;
}

/** Some series of a namespace: those without dimensions or, if `owners` is set, those of a range of owners. */
export interface Part {
  namespace: string;
  metrics: MetricName[];
  owners?: { after: string; until: string };
}

/** The value of a series and its number of writes, at one time. */
export interface Counted {
  value: number;
  writes: number;
}

export interface Correction {
  changes: SeriesChange[];
  aliases: Alias[];
}

export interface SeriesDifference {
  series: SeriesName;
  counted: number;
  recounted: number;
}

export interface Outcome {
  /** Keys of series that are known to be right or wrong. */
  settled: Set<string>;
  differences: SeriesDifference[];
  /** Keys of series that changed during the comparison. */
  unsettled: Set<string>;
}

interface Readings {
  before: Map<string, Counted>;
  after: Map<string, Counted>;
  /** Ids of waiting messages that were added. */
  added: Set<string>;
}

/** The effect of changes on the series of a part, by key. */
export function sumsOf(part: Part, changes: UsageChange[]): Map<string, number> {
  const sums = new Map<string, number>();
  for (const { _metric, _dimensions, _amount } of changes) {
    if (!isMetric(_metric) || !part.metrics.includes(_metric)) continue;
    for (const series of seriesOfChange(part.namespace, _metric, _dimensions)) {
      if (!isIn(part, series)) continue;
      const key = seriesKey(series);
      sums.set(key, (sums.get(key) ?? 0) + _amount);
    }
  }
  return sums;
}

/**
 * Compares series with a recount made between two readings of them. Series written in between are unsettled. For the
 * others, every message was added except those that still wait in the sender's outbox without a mark, so the difference
 * must be exactly these.
 */
export function compare(part: Part, recount: UsageRecount, { before, after, added }: Readings): Outcome {
  const expected = expectedOf(part, recount, added);
  const changing = new Set(recount._unsettled);
  const outcome: Outcome = { settled: new Set(), differences: [], unsettled: new Set() };
  for (const key of new Set([...expected.keys(), ...after.keys(), ...before.keys()])) {
    const series = seriesOf(key);
    const [owner] = series.values;
    const [first, last] = [before.get(key), after.get(key)];
    if (!areEqual(first, last) || (owner !== undefined && changing.has(owner))) {
      outcome.unsettled.add(key);
      continue;
    }
    outcome.settled.add(key);
    const [counted, recounted] = [last?.value ?? 0, expected.get(key) ?? 0];
    if (counted !== recounted) outcome.differences.push({ series, counted, recounted });
  }
  return outcome;
}

/** The expected values: the recount, less the messages that are not added yet. */
function expectedOf(part: Part, recount: UsageRecount, added: Set<string>): Map<string, number> {
  const expected = sumsOf(part, recount._changes);
  const missing = recount._waiting.filter(({ _id }) => !added.has(_id)).flatMap(({ _changes }) => _changes);
  for (const [key, amount] of sumsOf(part, missing)) expected.set(key, (expected.get(key) ?? 0) - amount);
  return expected;
}

const areEqual = (one: Counted | undefined, other: Counted | undefined): boolean => one?.writes === other?.writes;

function isIn({ owners }: Part, { values: [owner] }: SeriesName): boolean {
  if (!owners) return owner === undefined;
  return owner !== undefined && owner > owners.after && owner <= owners.until;
}
