import type { Logger } from '@dtplatform/logging';
import { METRICS } from '../metrics/metric-catalogue.js';
import type { CheckNamespace, NamespaceReport } from './check-namespace.js';
import type { SeriesDifference } from './compare.js';
import type { CounterStore, ReconciliationStore } from './ports.js';
import { MAX_STORED_DIFFERENCES } from './reconciliation.js';
import type { Difference, Reconciliation } from './reconciliation.js';

const HOUR_MS = 3_600_000;
/** A namespace that cannot be compared so often is left to the next reconciliation. */
const MAX_FAILURES = 10;
const NOT_COMPARED: NamespaceReport = { compared: 0, unsettled: 1, differences: [] };

interface Deps {
  reconciliationStore: ReconciliationStore;
  counters: CounterStore;
  check: CheckNamespace;
  isCorrecting: boolean;
  /** Between two periodic ones. 0: only those that are requested. */
  everyHours: number;
  log: Logger;
}

/** Works on reconciliations that are due, one after the other. One process at a time may. */
export function createReconciler(deps: Deps) {
  const { reconciliationStore, counters, check, isCorrecting, everyHours, log } = deps;

  async function checkNext(one: Reconciliation, signal: AbortSignal): Promise<Reconciliation> {
    const { _namespace, internal } = one;
    const namespace =
      _namespace === undefined ? await counters.nextNamespace(internal.after) : internal.after ? undefined : _namespace;
    if (namespace === undefined) return { ...one, _status: 'COMPLETED', _finishedAt: new Date() };
    const report = await check(namespace, signal).catch((error: unknown) => {
      if (signal.aborted) throw error;
      log.warn({ err: error, namespace }, 'metrics could not be compared with what services hold');
      return undefined;
    });
    if (report) return withReport(one, namespace, report);
    const failures = internal.failures + 1;
    if (failures >= MAX_FAILURES) return withReport(one, namespace, NOT_COMPARED);
    return { ...one, internal: { ...internal, failures } };
  }

  /** @returns whether to go on at once: not after a failure, because a service may be unavailable */
  async function step(one: Reconciliation, signal: AbortSignal): Promise<Reconciliation | undefined> {
    const next = await checkNext(one, signal);
    await reconciliationStore.save(next);
    if (next._status === 'COMPLETED') report(next, log);
    return next._status === 'COMPLETED' || next.internal.failures > 0 ? undefined : next;
  }

  return {
    /** Works until nothing is due, or a namespace could not be compared. It goes on where another process has stopped. */
    async run(signal: AbortSignal): Promise<void> {
      if (everyHours > 0) await reconciliationStore.ensurePeriodic(new Date(Date.now() + everyHours * HOUR_MS));
      const due = await reconciliationStore.findDue(new Date());
      let one: Reconciliation | undefined = due && { ...due, _status: 'RUNNING', _isCorrecting: isCorrecting };
      while (one) {
        signal.throwIfAborted();
        one = await step(one, signal);
      }
    },
  };
}

function withReport(one: Reconciliation, namespace: string, report: NamespaceReport): Reconciliation {
  const _differing = { ...one._differing };
  for (const { series } of report.differences) _differing[series.metric] = (_differing[series.metric] ?? 0) + 1;
  return {
    ...one,
    _namespaces: one._namespaces + 1,
    _compared: one._compared + report.compared,
    _unsettled: one._unsettled + report.unsettled,
    _differing,
    _differences: [...one._differences, ...report.differences.map(shown)].slice(0, MAX_STORED_DIFFERENCES),
    internal: { ...one.internal, after: namespace, failures: 0 },
  };
}

const shown = ({ series: { namespace, metric, values }, counted, recounted }: SeriesDifference): Difference => ({
  _namespace: namespace,
  _metric: metric,
  _dimensions: Object.fromEntries(values.map((value, index) => [METRICS[metric][index]!, value])),
  _counted: counted,
  _recounted: recounted,
});

function report({ _id, _namespaces, _compared, _unsettled, _differing, _isCorrecting }: Reconciliation, log: Logger) {
  const summary = { reconciliation: _id, _namespaces, _compared, _unsettled, _differing, _isCorrecting };
  if (Object.keys(_differing).length > 0) log.error(summary, 'metrics differ from what services hold');
  else log.info(summary, 'metrics are what services hold');
}
