import type { Logger } from '@dtplatform/logging';
import { HOUR_MS } from '../metrics/period.js';
import type { CheckNamespace, NamespaceReport } from './check-namespace.js';
import type { CounterStore } from './counters.store.js';
import { withDifferences } from './reconciliation.js';
import type { Reconciliation } from './reconciliation.js';
import type { ReconciliationStore } from './reconciliations.store.js';

/** After this many failures, a namespace is left to the next reconciliation. */
const MAX_FAILURES = 10;
const NOT_COMPARED: NamespaceReport = { compared: 0, unsettled: 1, differences: [] };

interface Deps {
  reconciliationStore: ReconciliationStore;
  counters: CounterStore;
  check: CheckNamespace;
  isCorrecting: boolean;
  /** 0: only on request. */
  everyHours: number;
  log: Logger;
}

/** Runs due reconciliations one after the other. Only one process at a time may call it. */
export function createReconciler(deps: Deps) {
  const { reconciliationStore, counters, check, isCorrecting, everyHours, log } = deps;

  async function checkNext(one: Reconciliation, signal: AbortSignal): Promise<Reconciliation> {
    const { _namespace, internal } = one;
    const namespace =
      _namespace === undefined ? await counters.nextNamespace(internal.after) : internal.after ? undefined : _namespace;
    if (namespace === undefined) return { ...one, _status: 'COMPLETED', _finishedAt: new Date() };
    const report = await check({ id: one._id, namespace }, signal).catch((error: unknown) => {
      if (signal.aborted) throw error;
      log.warn({ err: error, namespace }, 'metrics could not be compared with the data of the services');
      return undefined;
    });
    if (report && report.unsettled > 0)
      log.info({ namespace, unsettled: report.unsettled }, 'some metrics of a namespace could not be compared');
    // May contain corrections, even if the step failed afterwards.
    const current = (await reconciliationStore.find(one._id)) ?? one;
    if (report) return withReport(current, namespace, report);
    const failures = internal.failures + 1;
    if (failures >= MAX_FAILURES) return withReport(current, namespace, NOT_COMPARED);
    return { ...current, internal: { ...internal, failures } };
  }

  /** @returns whether to continue immediately: not after a failure, because a service may be unavailable */
  async function step(one: Reconciliation, signal: AbortSignal): Promise<Reconciliation | undefined> {
    const next = await checkNext(one, signal);
    await reconciliationStore.save(next);
    if (next._status === 'COMPLETED') logOutcome(next, log);
    return next._status === 'COMPLETED' || next.internal.failures > 0 ? undefined : next;
  }

  return {
    /**
     * Runs until nothing is due or a namespace fails. Resumes where another process stopped.
     * @returns whether any was due
     */
    async run(signal: AbortSignal): Promise<boolean> {
      if (everyHours > 0) await reconciliationStore.ensurePeriodic(new Date(Date.now() + everyHours * HOUR_MS));
      else await reconciliationStore.cancelPeriodic();
      const due = await reconciliationStore.findDue(new Date());
      let one: Reconciliation | undefined = due && { ...due, _status: 'RUNNING', _isCorrecting: isCorrecting };
      if (one) await reconciliationStore.save(one);
      while (one) {
        signal.throwIfAborted();
        one = await step(one, signal);
      }
      return due !== undefined;
    },
  };
}

export type Reconciler = ReturnType<typeof createReconciler>;

const withReport = (one: Reconciliation, namespace: string, report: NamespaceReport): Reconciliation => ({
  ...withDifferences(one, report.differences),
  _namespaces: one._namespaces + 1,
  _compared: one._compared + report.compared,
  _unsettled: one._unsettled + report.unsettled,
  internal: { ...one.internal, after: namespace, failures: 0 },
});

function logOutcome(
  { _id, _namespaces, _compared, _unsettled, _differing, _isCorrecting }: Reconciliation,
  log: Logger,
) {
  const summary = { reconciliation: _id, _namespaces, _compared, _unsettled, _differing, _isCorrecting };
  if (Object.keys(_differing).length > 0) log.error(summary, 'metrics differ from the data of the services');
  else log.info(summary, 'metrics match the data of the services');
}
