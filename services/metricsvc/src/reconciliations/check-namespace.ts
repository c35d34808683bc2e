import { setTimeout as delay } from 'node:timers/promises';
import type { UsageRecount } from '@dtplatform/contracts';
import { METRIC_NAMES, METRICS } from '../metrics/metric-catalogue.js';
import { startOfHour } from '../metrics/period.js';
import { seriesKey } from '../metrics/series.js';
import { foldUsage } from '../metrics/usage.js';
import { compare, sumsOf } from './compare.js';
import type { Outcome, Part, SeriesDifference, UsageSource } from './compare.js';
import type { CounterStore, CounterView } from './counters.store.js';
import { withDifferences } from './reconciliation.js';

/** A series that changes during each attempt is left to the next reconciliation. */
const ATTEMPTS = 5;
const FIRST_PAUSE_MS = 50;

export interface NamespaceReport {
  compared: number;
  unsettled: number;
  /** Uncorrected ones; corrected ones are already in the reconciliation. */
  differences: SeriesDifference[];
}

interface Target {
  /** The id of the reconciliation. */
  id: string;
  namespace: string;
}

interface Run extends Target {
  report: NamespaceReport;
  signal: AbortSignal;
}

interface Deps {
  counters: CounterStore;
  sources: UsageSource[];
  isCorrecting: boolean;
}

export type CheckNamespace = (target: Target, signal: AbortSignal) => Promise<NamespaceReport>;

/**
 * Compares all metrics of a namespace with what their services store: first those without dimensions, then those of
 * owners, a range at a time, and finally each namespace value with the sum over its owners. A correction is stored
 * together with its record, so it is known even if a later step fails.
 */
export function createNamespaceCheck({ counters, sources, isCorrecting }: Deps): CheckNamespace {
  /**
   * @param known keys of series to include even if they are 0 @returns no outcome if there is too much to compare, or
   * the namespace is closed
   */
  async function compareOnce({ id, signal }: Run, part: Part, source: UsageSource, known: Iterable<string>) {
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
      if (isCorrecting) await correct(view, { id, namespace: part.namespace }, found.differences, recount);
      return found;
    });
    return { next, keys, outcome };
  }

  /** Adds the findings to a report. @returns the end of the next range of owners */
  async function checkPart(run: Run, part: Part, source: UsageSource) {
    const { report, signal } = run;
    const settled = new Set<string>();
    let unsettled = 1;
    let result = await compareOnce(run, part, source, []);
    const { next } = result;
    for (let attempt = 1; result.outcome; attempt++) {
      if (!isCorrecting) report.differences.push(...newDifferences(result.outcome, settled));
      unsettled = settle(result.outcome, settled);
      if (unsettled === 0 || attempt === ATTEMPTS) break;
      await delay(FIRST_PAUSE_MS * 2 ** attempt, undefined, { signal });
      result = await compareOnce(run, part, source, result.keys);
    }
    report.compared += settled.size;
    report.unsettled += unsettled;
    return next;
  }

  async function checkSource(run: Run, source: UsageSource) {
    const { id, namespace, report } = run;
    const own = METRIC_NAMES.filter((name) => name.startsWith(source.prefix));
    const metrics = own.filter((name) => METRICS[name].length > 0);
    const whole = { namespace, metrics: own.filter((name) => METRICS[name].length === 0) };
    let after = '';
    let until = await checkPart(run, whole, source);
    while (until !== undefined && metrics.length > 0) {
      const range = { namespace, metrics, owners: { after, until } };
      after = until;
      until = await checkPart(run, range, source);
    }
    for (const metric of metrics) {
      const found = await counters.transaction(async (view) => {
        // Its series are being removed.
        if (await view.isClosed(namespace)) return [];
        const { whole: counted, ofOwners: recounted } = await view.sums(namespace, metric);
        const differences =
          counted === recounted ? [] : [{ series: { namespace, metric, values: [] }, counted, recounted }];
        if (isCorrecting) await correct(view, { id, namespace }, differences);
        return differences;
      });
      report.compared++;
      if (!isCorrecting) report.differences.push(...found);
    }
  }

  return async (target, signal) => {
    const report: NamespaceReport = { compared: 0, unsettled: 0, differences: [] };
    if (await counters.transaction((view) => view.isClosed(target.namespace))) return report;
    for (const source of sources) await checkSource({ ...target, report, signal }, source);
    return report;
  };
}

const newDifferences = ({ differences }: Outcome, known: Set<string>) =>
  differences.filter(({ series }) => !known.has(seriesKey(series)));

/** Merges settled series. @returns how many are still unsettled */
function settle({ settled, unsettled }: Outcome, known: Set<string>): number {
  for (const key of settled) known.add(key);
  return [...unsettled].filter((key) => !known.has(key)).length;
}

/** Adds the missing amounts to the current hour and records them as corrected, in the comparing transaction. */
async function correct(
  view: CounterView,
  { id, namespace }: Target,
  differences: SeriesDifference[],
  recount?: UsageRecount,
): Promise<void> {
  if (differences.length === 0) return;
  const now = Date.now();
  const changes = differences.map(({ series, counted, recounted }) => ({
    series,
    hours: new Map([[startOfHour(now), recounted - counted]]),
  }));
  const usage = recount ? [{ _namespace: namespace, _at: now, _changes: recount._changes }] : [];
  await view.correct({ changes, aliases: foldUsage(usage, now).aliases });
  await view.updateReconciliation(id, (one) => withDifferences(one, differences));
}
