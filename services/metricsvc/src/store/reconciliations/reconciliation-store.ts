import { newId, trusted } from '@dtplatform/mongo';
import type { Filter, Mongo } from '@dtplatform/mongo';
import type { ReconciliationStore } from '../../domain/reconciliations/ports.js';
import { newReconciliation } from '../../domain/reconciliations/reconciliation.js';
import type { Reconciliation } from '../../domain/reconciliations/reconciliation.js';
import { reconciliationModel } from './reconciliation.model.js';

export function createReconciliationStore(mongo: Mongo): ReconciliationStore {
  const reconciliations = mongo.model(reconciliationModel);
  const open: Filter = { _status: trusted({ $in: ['QUEUED', 'RUNNING'] }) };

  const findPeriodic = async () =>
    (await reconciliations.findOne({ ...open, 'internal.isPeriodic': true }).lean<Reconciliation>()) ?? undefined;

  return {
    async insert(reconciliation) {
      await reconciliations.create([reconciliation]);
    },
    find: async (id) => (await reconciliations.findById(id).lean<Reconciliation>()) ?? undefined,
    findDue: async (now) =>
      (await reconciliations
        .findOne({ ...open, 'internal.dueAt': trusted({ $lte: now }) })
        .sort({ 'internal.dueAt': 1 })
        .lean<Reconciliation>()) ?? undefined,
    findPeriodic,
    async ensurePeriodic(dueAt) {
      const periodic = await findPeriodic();
      if (!periodic) await reconciliations.create([newReconciliation({ id: newId(), dueAt, isPeriodic: true })]);
      else if (periodic.internal.dueAt > dueAt)
        await reconciliations.updateOne({ _id: periodic._id }, { 'internal.dueAt': dueAt });
    },
    async cancelPeriodic() {
      await reconciliations.deleteMany({ _status: 'QUEUED', 'internal.isPeriodic': true });
    },
    async save(reconciliation) {
      await reconciliations.replaceOne({ _id: reconciliation._id }, reconciliation);
    },
    async findLatest() {
      const finished = { _finishedAt: trusted({ $exists: true }), _namespace: trusted({ $exists: false }) };
      return (await reconciliations.findOne(finished).sort({ _finishedAt: -1 }).lean<Reconciliation>()) ?? undefined;
    },
  };
}
