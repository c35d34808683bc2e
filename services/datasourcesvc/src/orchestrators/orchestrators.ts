import { matchesPrecondition } from '@dtplatform/contracts';
import type { Listing, Paging, Precondition } from '@dtplatform/contracts';
import { commonErrors } from '@dtplatform/errors';
import { requireDeletion, subjectOf } from '@dtplatform/permissions';
import type { Access, Resource } from '@dtplatform/permissions';
import type { Components } from '../components/components.js';
import { assertTasks } from '../components/parameters.js';
import { errors } from '../errors.js';
import { ORCHESTRATOR_TYPE, orchestratorIrn } from './orchestrator.js';
import type { ChangeOrchestrator, CreateOrchestrator, Orchestrator } from './orchestrator.js';
import type { OrchestratorStore } from './orchestrators.store.js';
import type { Profiles } from './profiles.client.js';
import { placeOf, requireChange, requireOwner, requireProfile } from './rights.js';
import type { OwnerRights } from './rights.js';
import type { ScheduleStore } from './schedules.store.js';
import { changedOrchestrator, newOrchestrator } from './written.js';
import type { Writing } from './written.js';

/** Enough even when several callers change the same orchestrator. */
const MAX_ATTEMPTS = 10;

interface WriteContext {
  /** `nsfilter` */
  namespace: string;
  access: Access;
}

interface ChangeContext extends WriteContext {
  precondition: Precondition;
}

interface OrchestratorsDeps {
  orchestratorStore: OrchestratorStore;
  scheduleStore: Pick<ScheduleStore, 'now'>;
  components: Pick<Components, 'named'>;
  profiles: Profiles;
  ownerRights: OwnerRights;
  newId: () => string;
}

export function createOrchestrators(deps: OrchestratorsDeps) {
  const { orchestratorStore, scheduleStore, components, profiles, ownerRights, newId } = deps;

  /** A new schedule starts from the database's time, which the scheduler uses too. */
  async function writingOf(
    { namespace, access }: WriteContext,
    sent: Pick<ChangeOrchestrator, '_orchschedule'>,
  ): Promise<Writing> {
    const { _id: id, _type: type } = subjectOf(access.principal);
    const nowMs = sent._orchschedule ? await scheduleStore.now() : Date.now();
    return { by: { id, type }, nowMs, namespace, newId };
  }

  const find = async (id: string) => {
    const orchestrator = await orchestratorStore.find(id);
    return orchestrator && { ...orchestrator, _irn: orchestratorIrn(id) };
  };

  /**
   * @returns the changed orchestrator; undefined if it changed in the meantime, because permissions depend on its
   * previous state
   */
  async function tryToChange(
    { _irn, ...before }: Orchestrator & Partial<Resource>,
    request: ChangeOrchestrator,
    context: WriteContext,
  ): Promise<Orchestrator | undefined> {
    const after = changedOrchestrator(before, request, await writingOf(context, request));
    if (!after._namespaces.includes(context.namespace)) throw errors.namespaceNotListed();
    const { home, grants } = await requireChange({ before, after }, { ...context, profiles, ownerRights });
    const placed = { ...after, _home: home };
    return (await orchestratorStore.replace(before, placed, grants)) ? placed : undefined;
  }

  /** @returns undefined if it changed in the meantime */
  async function tryToRemove(
    { _irn, ...before }: Orchestrator & Partial<Resource>,
    context: WriteContext,
  ): Promise<true | undefined> {
    if (!before._namespaces.includes(context.namespace)) throw commonErrors.notFound();
    const left = await requireDeletion(context.access, placeOf(before), context.namespace);
    if (!left) return (await orchestratorStore.remove(before)) || undefined;
    const { _namespaces, _home } = left;
    const after = changedOrchestrator(before, { _params: {}, _namespaces }, await writingOf(context, {}));
    return (await orchestratorStore.replace(before, { ...after, _home }, [])) || undefined;
  }

  return {
    async find(id: string, namespace: string) {
      const orchestrator = await find(id);
      return orchestrator?._namespaces.includes(namespace) ? orchestrator : undefined;
    },
    /** Ignores namespaces, for calls that report that theirs is not among the orchestrator's. */
    anywhere: { find },
    /**
     * Creates an orchestrator and grants its creator all actions on it. The route has checked CREATE.
     * @throws 400 for an unknown component or parameters that it rejects, an unknown permission profile, a schedule
     * that does not match the class, a taken name, or too many schedules in the namespace; 403 without ASSIGN on the
     * permission profile, or as `requireOwner`
     */
    async create(request: CreateOrchestrator, context: WriteContext): Promise<Orchestrator> {
      await assertTasks(request._params.tasks, components);
      const orchestrator = newOrchestrator(request, await writingOf(context, request));
      const { _id, _namespaces } = orchestrator;
      if (!_namespaces.includes(context.namespace)) throw errors.namespaceNotListed();
      await requireProfile(orchestrator, _namespaces, { ...context, profiles });
      await requireOwner(orchestrator, { ...context, ownerRights });
      await context.access.own({ _irn: orchestratorIrn(_id), _namespaces });
      await orchestratorStore.insert(orchestrator);
      return orchestrator;
    },
    /**
     * Changes the given fields of an orchestrator, and grants the caller all actions on it in the namespaces that it
     * enters. The route has checked EDIT.
     * @throws 400 as `create`, 403 as `requireChange`, 404 when it does not exist, 409 after too many concurrent
     * changes, 412
     */
    async update(
      orchestrator: Orchestrator,
      request: ChangeOrchestrator,
      context: ChangeContext,
    ): Promise<Orchestrator> {
      await assertTasks(request._params.tasks ?? [], components);
      const readAgain = async () => context.access.require('EDIT', await find(orchestrator._id));
      const tryToWrite = (before: Orchestrator) => tryToChange(before, request, context);
      return onCurrent(orchestrator, context.precondition, { readAgain, tryToWrite });
    },
    /**
     * Removes an orchestrator as `requireDeletion` permits. Its runs stay.
     * @throws 403; 404 when it does not exist or is not in the call's namespace; 409 after too many concurrent changes;
     * 412
     */
    async remove(orchestrator: Orchestrator, context: ChangeContext): Promise<void> {
      const readAgain = async () => context.access.require('DELETE', await find(orchestrator._id));
      const tryToWrite = (before: Orchestrator) => tryToRemove(before, context);
      await onCurrent(orchestrator, context.precondition, { readAgain, tryToWrite });
    },
    /** The orchestrators of the namespace that the caller may read. */
    list: async (nsfilter: string, paging: Paging, access: Access): Promise<Listing<Orchestrator>> =>
      orchestratorStore.list(await access.scope('READ', ORCHESTRATOR_TYPE, [nsfilter]), paging),
  };
}

export type Orchestrators = ReturnType<typeof createOrchestrators>;

interface Write<T> {
  readAgain: () => Promise<Orchestrator>;
  tryToWrite: (before: Orchestrator) => Promise<T | undefined>;
}

/** Repeats a write on the orchestrator's current state while it returns undefined. */
async function onCurrent<T>(
  orchestrator: Orchestrator,
  precondition: Precondition,
  { readAgain, tryToWrite }: Write<T>,
): Promise<T> {
  let before = orchestrator;
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    if (!matchesPrecondition(before, precondition)) throw commonErrors.preconditionFailed();
    const written = await tryToWrite(before);
    if (written !== undefined) return written;
    before = await readAgain();
  }
  throw commonErrors.conflict();
}
