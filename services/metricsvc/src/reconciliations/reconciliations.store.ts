import { absent, exists, modelOf, newId, notAfter, oneOf } from '@dtplatform/mongo';
import type { Filter, Mongo } from '@dtplatform/mongo';
import { newReconciliation, Reconciliation } from './reconciliation.js';

const KEPT_SEC = 90 * 24 * 3600;

export const reconciliationModel = modelOf('reconciliations', Reconciliation, {
  indexes: [
    { key: { _status: 1, 'internal.dueAt': 1 }, name: 'due' },
    { key: { _finishedAt: -1 }, name: 'finished', expireAfterSeconds: KEPT_SEC },
  ],
});

export function createReconciliationStore(mongo: Mongo) {
  const reconciliations = mongo.model(reconciliationModel);
  const open: Filter = { _status: oneOf(['QUEUED', 'RUNNING']) };

  const findPeriodic = async () =>
    (await reconciliations.findOne({ ...open, 'internal.isPeriodic': true }).lean<Reconciliation>()) ?? undefined;

  return {
    async insert(reconciliation: Reconciliation): Promise<void> {
      await reconciliations.create([reconciliation]);
    },
    find: async (id: string): Promise<Reconciliation | undefined> =>
      (await reconciliations.findById(id).lean<Reconciliation>()) ?? undefined,
    findDue: async (now: Date): Promise<Reconciliation | undefined> =>
      (await reconciliations
        .findOne({ ...open, 'internal.dueAt': notAfter(now) })
        .sort({ 'internal.dueAt': 1 })
        .lean<Reconciliation>()) ?? undefined,
    /** The periodic one that is planned or running. */
    findPeriodic,
    /** Ensures that one is due by this time. */
    async ensurePeriodic(dueAt: Date): Promise<void> {
      const periodic = await findPeriodic();
      if (!periodic) await reconciliations.create([newReconciliation({ id: newId(), dueAt, isPeriodic: true })]);
      else if (periodic.internal.dueAt > dueAt)
        await reconciliations.updateOne({ _id: periodic._id }, { 'internal.dueAt': dueAt });
    },
    /** Removes the periodic one, unless it has started. */
    async cancelPeriodic(): Promise<void> {
      await reconciliations.deleteMany({ _status: 'QUEUED', 'internal.isPeriodic': true });
    },
    async save(reconciliation: Reconciliation): Promise<void> {
      await reconciliations.replaceOne({ _id: reconciliation._id }, reconciliation);
    },
    /** The latest finished one of all namespaces. */
    async findLatest(): Promise<Reconciliation | undefined> {
      const finished = { _finishedAt: exists(), _namespace: absent() };
      return (await reconciliations.findOne(finished).sort({ _finishedAt: -1 }).lean<Reconciliation>()) ?? undefined;
    },
  };
}

export type ReconciliationStore = ReturnType<typeof createReconciliationStore>;
