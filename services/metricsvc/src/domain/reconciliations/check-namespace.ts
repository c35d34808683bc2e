import { setTimeout as delay } from 'node:timers/promises';
import type { UsageRecount } from '@dtplatform/contracts';
import { foldUsage } from '../metrics/fold-usage.js';
import { startOfHour } from '../metrics/hours.js';
import { METRIC_NAMES, METRICS } from '../metrics/metric-catalogue.js';
import { seriesKey } from '../metrics/series-name.js';
import { compare, sumsOf } from './compare.js';
import type { Outcome, SeriesDifference } from './compare.js';
import type { CounterStore, CounterView, Part, UsageSource } from './ports.js';

/** A series that is written each time is left to the next reconciliation. */
const ATTEMPTS = 5;
const FIRST_PAUSE_MS = 50;

export interface NamespaceReport {
  compared: number;
  unsettled: number;
  differences: SeriesDifference[];
}

interface Deps {
  counters: CounterStore;
  sources: UsageSource[];
  isCorrecting: boolean;
}

export type CheckNamespace = (namespace: string, signal: AbortSignal) => Promise<NamespaceReport>;

/**
 * Compares all metrics of a namespace with what their services hold: first those without dimensions, then those of each
 * owner, a range of owners at a time, and last that the value of the namespace is the sum of those of its owners.
 */
export function createNamespaceCheck({ counters, sources, isCorrecting }: Deps): CheckNamespace {
  /** @param known keys of series to look at even if they are 0 @returns no outcome when there is too much to compare */
  async function compareOnce(part: Part, source: UsageSource, known: Iterable<string>, signal: AbortSignal) {
    const before = await counters.transaction((view) => view.read(part, known));
    const recount = await source.recount({ namespace: part.namespace, ...part.owners }, signal);
    const next = recount._until;
    if (!before || !recount._isComplete) return { next, keys: [] };
    const keys = [...sumsOf(part, recount._changes).keys(), ...known];
    const outcome = await counters.transaction(async (view) => {
      const after = await view.read(part, keys);
      if (!after || (await view.isClosed(part.namespace))) return undefined;
      const added = await view.added(recount._waiting.map(({ _id }) => _id));
      const found = compare(part, recount, { before, after, added });
      if (isCorrecting) await correct(view, found.differences, recount, part.namespace);
      return found;
    });
    return { next, keys, outcome };
  }

  /** Adds what is found to a report. @returns the end of the next range of owners */
  async function checkPart(part: Part, source: UsageSource, report: NamespaceReport, signal: AbortSignal) {
    const settled = new Set<string>();
    let unsettled = 1;
    let result = await compareOnce(part, source, [], signal);
    const { next } = result;
    for (let attempt = 1; result.outcome; attempt++) {
      unsettled = addNew(result.outcome, settled, report);
      if (unsettled === 0 || attempt === ATTEMPTS) break;
      await delay(FIRST_PAUSE_MS * 2 ** attempt, undefined, { signal });
      result = await compareOnce(part, source, result.keys, signal);
    }
    report.compared += settled.size;
    report.unsettled += unsettled;
    return next;
  }

  async function checkSource(source: UsageSource, namespace: string, report: NamespaceReport, signal: AbortSignal) {
    const own = METRIC_NAMES.filter((name) => name.startsWith(source.prefix));
    const metrics = own.filter((name) => METRICS[name].length > 0);
    const whole = { namespace, metrics: own.filter((name) => METRICS[name].length === 0) };
    let after = '';
    let until = await checkPart(whole, source, report, signal);
    while (until !== undefined && metrics.length > 0) {
      const range = { namespace, metrics, owners: { after, until } };
      after = until;
      until = await checkPart(range, source, report, signal);
    }
    for (const metric of metrics) {
      const { whole: counted, ofOwners: recounted } = await counters.transaction(async (view) => {
        const sums = await view.sums(namespace, metric);
        const difference = { series: { namespace, metric, values: [] }, counted: sums.whole, recounted: sums.ofOwners };
        if (isCorrecting && sums.whole !== sums.ofOwners) await correct(view, [difference]);
        return sums;
      });
      report.compared++;
      const series = { namespace, metric, values: [] };
      if (counted !== recounted) report.differences.push({ series, counted, recounted });
    }
  }

  return async (namespace, signal) => {
    const report: NamespaceReport = { compared: 0, unsettled: 0, differences: [] };
    for (const source of sources) await checkSource(source, namespace, report, signal);
    return report;
  };
}

/** Adds what is settled now to a report. @returns how many series are not yet */
function addNew({ differences, settled, unsettled }: Outcome, known: Set<string>, report: NamespaceReport): number {
  report.differences.push(...differences.filter(({ series }) => !known.has(seriesKey(series))));
  for (const key of settled) known.add(key);
  return [...unsettled].filter((key) => !known.has(key)).length;
}

/** Adds what is missing to the current hour, in the transaction that has found it. */
async function correct(
  view: CounterView,
  differences: SeriesDifference[],
  recount?: UsageRecount,
  namespace?: string,
): Promise<void> {
  if (differences.length === 0) return;
  const now = Date.now();
  const changes = differences.map(({ series, counted, recounted }) => ({
    series,
    hours: new Map([[startOfHour(now), recounted - counted]]),
  }));
  const usage = recount && namespace ? [{ _namespace: namespace, _at: now, _changes: recount._changes }] : [];
  await view.correct({ changes, aliases: foldUsage(usage, now).aliases });
}
