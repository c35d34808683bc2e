import type { UsageChange, UsageRecount, UsageRecountQuery } from '@dtplatform/contracts';
import { isMetric } from '../metrics/metric-catalogue.js';
import type { MetricName } from '../metrics/metric-catalogue.js';
import { seriesKey, seriesOf, seriesOfChange } from '../metrics/series.js';
import type { SeriesName } from '../metrics/series.js';
import type { Alias, SeriesChange } from '../metrics/usage.js';

/** A service that reports usage. */
export interface UsageSource {
  /** Begins the names of its metrics: `dtplatform.filesvc.`. */
  prefix: string;
  /** @throws a 503 AppError when the service is unavailable */
  recount(query: UsageRecountQuery, signal: AbortSignal): Promise<UsageRecount>;
}

/** Some series of a namespace: those without dimensions or, with owners, those of owners in a range of ids. */
export interface Part {
  namespace: string;
  metrics: MetricName[];
  owners?: { after: string; until: string };
}

/** A series at one time: what it has added up, and how often it was written. */
export interface Counted {
  value: number;
  writes: number;
}

/** Changes that make series what was recounted. */
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
  /** Keys of the series whose values are known to be right or wrong. */
  settled: Set<string>;
  differences: SeriesDifference[];
  /** Keys of those that changed meanwhile: neither can be said. */
  unsettled: Set<string>;
}

interface Readings {
  before: Map<string, Counted>;
  after: Map<string, Counted>;
  /** Ids of waiting messages that were added. */
  added: Set<string>;
}

/** What changes add to the series of a part, by key. */
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
 * Compares series with a recount that was made between two readings of them. A series that was written in between is left
 * out. For the others, all messages that are recounted were added, but for those that still wait in the outbox and are not
 * marked as added: exactly these are missing, and nothing else may be.
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

/** What series must have added up: what is recounted, less the messages that they lack. */
function expectedOf(part: Part, recount: UsageRecount, added: Set<string>): Map<string, number> {
  const expected = sumsOf(part, recount._changes);
  const missing = recount._waiting.filter(({ _id }) => !added.has(_id)).flatMap(({ _changes }) => _changes);
  for (const [key, amount] of sumsOf(part, missing)) expected.set(key, (expected.get(key) ?? 0) - amount);
  return expected;
}

const areEqual = (one: Counted | undefined, other: Counted | undefined): boolean => one?.writes === other?.writes;

/** Whether a series belongs to a part. */
function isIn({ owners }: Part, { values: [owner] }: SeriesName): boolean {
  if (!owners) return owner === undefined;
  return owner !== undefined && owner > owners.after && owner <= owners.until;
}
