import type { Listing, Paging, PermissionEntry } from '@dtplatform/contracts';
import { isDuplicateKey, keyLoader, listPage, lockNames, revisionIn, scopeFilter } from '@dtplatform/mongo';
import type { ClientSession, Mongo, PendingGrants } from '@dtplatform/mongo';
import type { Scope } from '@dtplatform/permissions';
import { errors } from '../errors.js';
import type { Orchestrator } from './orchestrator.js';
import { orchestratorModel } from './orchestrator.model.js';

const MAX_SCHEDULES = 100;

export function createOrchestratorStore(mongo: Mongo, pendingGrants: Pick<PendingGrants, 'transaction'>) {
  const orchestrators = mongo.model(orchestratorModel);

  /** @throws 400 when the namespace has the maximum number of schedules */
  async function requirePlace(namespace: string, session: ClientSession): Promise<void> {
    // Serializes transactions that count schedules of a namespace.
    await lockNames(mongo, [`schedules/${namespace}`], session);
    const count = await orchestrators.countDocuments({ '_schedule.namespace': namespace }).session(session);
    if (count >= MAX_SCHEDULES) throw errors.tooManySchedules();
  }

  async function insert(orchestrator: Orchestrator): Promise<void> {
    const namespace = orchestrator._schedule?.namespace;
    const store = async (session?: ClientSession) => void (await orchestrators.insertMany([orchestrator], { session }));
    if (namespace === undefined) return mongo.create(store);
    return mongo.transaction(async (session) => {
      await requirePlace(namespace, session);
      await store(session);
    });
  }

  return {
    /** @throws 400 when the name is taken in one of the namespaces, or a namespace has too many schedules */
    insert: (orchestrator: Orchestrator): Promise<void> => rejectTakenName(() => insert(orchestrator)),
    /**
     * False if the orchestrator has changed since it was read as `before`.
     * @param grants for the caller, after the commit
     * @throws like `insert`
     */
    replace: (before: Orchestrator, after: Orchestrator, grants: PermissionEntry[]): Promise<boolean> =>
      rejectTakenName(() =>
        pendingGrants.transaction(grants, async (session) => {
          const namespace = after._schedule?.namespace;
          if (namespace !== undefined && namespace !== before._schedule?.namespace)
            await requirePlace(namespace, session);
          // The revision does not cover the due time.
          const filter = { ...asRead(before), '_schedule.dueAt': before._schedule?.dueAt ?? null };
          const written = await orchestrators.replaceOne(filter, after, { session, runValidators: true });
          return written.matchedCount === 1;
        }),
      ),
    /**
     * Removes only the state that was read, because the permission to remove it depends on it. False if the orchestrator
     * has changed since.
     */
    async remove(orchestrator: Orchestrator): Promise<boolean> {
      const { deletedCount } = await orchestrators.deleteOne(asRead(orchestrator));
      return deletedCount === 1;
    },
    find: keyLoader(orchestrators, '_id'),
    list: (scope: Scope, paging: Paging): Promise<Listing<Orchestrator>> =>
      listPage(orchestrators, scopeFilter(scope), { paging }),
  };
}

export type OrchestratorStore = ReturnType<typeof createOrchestratorStore>;

const asRead = (orchestrator: Orchestrator) => ({
  _id: orchestrator._id,
  ...revisionIn([orchestrator._revision]),
});

async function rejectTakenName<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    throw isDuplicateKey(error, 'unique_name') ? errors.nameTaken({ cause: error }) : error;
  }
}
