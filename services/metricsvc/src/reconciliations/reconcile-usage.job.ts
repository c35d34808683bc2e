import { startExclusiveSweep } from '@dtplatform/lease';
import type { NamedLease } from '@dtplatform/lease';
import type { Jobs, ProcessContext } from '@dtplatform/runtime';
import type { ReconciliationStore } from './reconciliations.store.js';
import type { Reconciler } from './run-reconciliations.js';

const SWEEP_EVERY_MS = 5_000;

interface Options extends ProcessContext {
  reconciliationStore: ReconciliationStore;
  reconciler: Reconciler;
  reconciliationLease: NamedLease;
  sweepEveryMs?: number | undefined;
}

/** Reconciles metrics in one process at a time. @returns the results of the latest reconciliation */
export function reconcileUsage({
  reconciliationStore,
  reconciler,
  reconciliationLease: lease,
  log,
  lifecycle,
  sweepEveryMs: everyMs = SWEEP_EVERY_MS,
}: Options): NonNullable<Jobs['gauges']> {
  const sweep = startExclusiveSweep({
    what: 'reconciliations of usage',
    lease,
    work: (signal) => reconciler.run(signal),
    log,
    everyMs,
    idleMs: 3 * everyMs,
  });
  lifecycle.onStop('reconciliation of usage', () => sweep.stop());

  const latest = () => reconciliationStore.findLatest();
  return [
    {
      name: 'usage_reconcile_differences',
      help: 'Series that differed from the data of the services in the latest reconciliation of all namespaces.',
      labelNames: ['metric'],
      read: async () =>
        Object.entries((await latest())?._differing ?? {}).map(([metric, count]) => [count, { metric }]),
    },
    {
      name: 'usage_reconcile_unsettled',
      help: 'Series and ranges of owners that the latest reconciliation could not compare.',
      read: async () => (await latest())?._unsettled ?? 0,
    },
    {
      name: 'usage_reconcile_finished_timestamp_seconds',
      help: 'When the latest reconciliation ended; 0 before the first one.',
      read: async () => ((await latest())?._finishedAt?.getTime() ?? 0) / 1000,
    },
    {
      name: 'usage_reconcile_due_timestamp_seconds',
      help: 'When the next periodic reconciliation is or was due; 0 if none is planned.',
      read: async () => ((await reconciliationStore.findPeriodic())?.internal.dueAt.getTime() ?? 0) / 1000,
    },
  ];
}
