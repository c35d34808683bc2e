import { commonErrors } from '@dtplatform/errors';
import { newReconciliation } from './reconciliation.js';
import type { Reconciliation } from './reconciliation.js';
import type { ReconciliationStore } from './reconciliations.store.js';

interface Deps {
  reconciliationStore: ReconciliationStore;
  newId: () => string;
}

export type Reconciliations = ReturnType<typeof createReconciliations>;

/** Requests only; the worker runs them. */
export const createReconciliations = ({ reconciliationStore, newId }: Deps) => ({
  /** Requests a reconciliation of one namespace, or of all. */
  async request(namespace: string | undefined): Promise<Reconciliation> {
    const requested = newReconciliation({ id: newId(), namespace, dueAt: new Date(), isPeriodic: false });
    await reconciliationStore.insert(requested);
    return requested;
  },
  /** @throws 404 */
  async get(id: string): Promise<Reconciliation> {
    const found = await reconciliationStore.find(id);
    if (!found) throw commonErrors.notFound();
    return found;
  },
});
