import { matchesPrecondition } from '@dtplatform/contracts';
import type { Listing, Paging, PermissionEntry, Precondition } from '@dtplatform/contracts';
import { commonErrors } from '@dtplatform/errors';
import { requireDeletion, subjectOf } from '@dtplatform/permissions';
import type { Access, Resource, Resources, Scope } from '@dtplatform/permissions';
import type { Components } from '../components/component.js';
import { assertTasks } from '../components/parameters.js';
import { errors } from '../errors.js';
import type { Run } from '../orchrun/run.js';
import { ORCHESTRATOR_TYPE, orchestratorIrn } from './orchestrator.js';
import type { ChangeOrchestrator, CreateOrchestrator, Orchestrator, ScheduleState } from './orchestrator.js';
import { placeOf, requireChange, requireOwner, requireProfile } from './rights.js';
import { changedOrchestrator, newOrchestrator } from './written.js';
import type { Writing } from './written.js';

/** Where orchestrators are stored. */
export interface OrchestratorStore {
  /** @throws 400 when the name is taken in one of the namespaces, or too many are scheduled in a namespace */
  insert(orchestrator: Orchestrator): Promise<void>;
  /**
   * Stores a change. False when the orchestrator is no longer as it was before, which is where the change came from.
   * @param grants what the caller gets once the change is committed
   * @throws as `insert`
   */
  replace(before: Orchestrator, after: Orchestrator, grants: PermissionEntry[]): Promise<boolean>;
  /** False when the orchestrator is no longer as it was read: the rights to remove it depend on that. */
  remove(orchestrator: Orchestrator): Promise<boolean>;
  find(id: string): Promise<Orchestrator | undefined>;
  list(scope: Scope, paging: Paging): Promise<Listing<Orchestrator>>;
}

/** Permission profiles of passportsvc. */
export interface Profiles {
  /** The namespaces of a profile; none when there is no such profile. */
  namespacesOf(id: string): Promise<string[]>;
}

/** An orchestrator of class SCHEDULED. */
export type Scheduled = Orchestrator & { _orchschedule: object; _schedule: ScheduleState };

/**
 * Schedules. A write has no effect when the orchestrator was changed or removed since it was read, or when another process has
 * dealt with the same due time: then it returns false. No write raises the revision.
 */
export interface ScheduleStore {
  /** By the clock of the database, which is the same for all processes; milliseconds since 1970. */
  now(): Promise<number>;
  /** Orchestrators to try to start, the longest due first. */
  findDue(nowMs: number, limit: number): Promise<Scheduled[]>;
  /**
   * Queues the run of a due time and sets the next one, in one transaction.
   * @throws 429 when too many runs are queued in a namespace
   */
  start(scheduled: Scheduled, run: Run, nextMs: number): Promise<boolean>;
  /** Goes on to the next due time without a run. */
  skip(scheduled: Scheduled, nextMs: number, statusmsg: string): Promise<boolean>;
  /** Tries the same due time again later. */
  postpone(scheduled: Scheduled, later: Pick<ScheduleState, 'tryAt' | 'statusmsg' | 'isFailing'>): Promise<boolean>;
  /** Since when the run that waits longest could have been tried, or its attempts fail; undefined when none waits. */
  waitsSince(nowMs: number): Promise<number | undefined>;
}

/** What is known about somebody who does not call now. */
export interface OwnerRights {
  mayRun(owner: { id: string; type: ScheduleState['ownerType'] }, irn: string, namespace: string): Promise<boolean>;
}

/** Enough even when several callers change the same orchestrator. */
const MAX_ATTEMPTS = 10;

/** The context of a call that writes. */
interface WriteContext {
  /** `nsfilter` */
  namespace: string;
  access: Access;
}

interface ChangeContext extends WriteContext {
  precondition: Precondition;
}

export interface Orchestrators extends Resources<Orchestrator & Resource> {
  /** The same in whatever namespaces they are, for calls that say that theirs is none of these. */
  anywhere: Resources<Orchestrator & Resource>;
  /**
   * Creates an orchestrator and grants its creator all actions on it. The route has checked the right to CREATE.
   * @throws 400 for an unknown component or parameters that it refuses, an unknown permission profile, a schedule that does not suit the class, a name that is
   * taken or too many schedules in the namespace, 403 without ASSIGN on the permission profile, or as
   * `requireOwner`
   */
  create(request: CreateOrchestrator, context: WriteContext): Promise<Orchestrator>;
  /**
   * Changes what was sent of an orchestrator, and grants the caller all actions on it in the namespaces that it enters. The route has checked the right to EDIT.
   * @throws 400 as `create`, 403 as `requireChange`, 404 when it is gone, 409 when others keep changing it, 412
   */
  update(orchestrator: Orchestrator, request: ChangeOrchestrator, context: ChangeContext): Promise<Orchestrator>;
  /**
   * Removes an orchestrator, as `requireDeletion` says. Its runs stay.
   * @throws 403, 404 when it is gone or not in the namespace of the call, 409 when others
   * keep changing it, 412
   */
  remove(orchestrator: Orchestrator, context: ChangeContext): Promise<void>;
  /** The orchestrators of the namespace that the caller may read. */
  list(nsfilter: string, paging: Paging, access: Access): Promise<Listing<Orchestrator>>;
}

interface OrchestratorsDeps {
  orchestratorStore: OrchestratorStore;
  scheduleStore: Pick<ScheduleStore, 'now'>;
  components: Components;
  profiles: Profiles;
  ownerRights: OwnerRights;
  newId: () => string;
}

export function createOrchestrators(deps: OrchestratorsDeps): Orchestrators {
  const { orchestratorStore, scheduleStore, components, profiles, ownerRights, newId } = deps;

  /** A schedule that is set begins at the time of those who start its runs. */
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

  /** @returns the changed orchestrator; undefined when it was changed meanwhile, since the rights depend on what it was */
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

  /** @returns undefined when it was changed meanwhile */
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

  /** Tries a write again, on what the orchestrator is then, while it returns undefined. */
  async function onCurrent<T>(
    action: 'EDIT' | 'DELETE',
    orchestrator: Orchestrator,
    { access, precondition }: ChangeContext,
    tryToWrite: (before: Orchestrator) => Promise<T | undefined>,
  ): Promise<T> {
    let before = orchestrator;
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      if (!matchesPrecondition(before, precondition)) throw commonErrors.preconditionFailed();
      const written = await tryToWrite(before);
      if (written !== undefined) return written;
      before = await access.require(action, await find(orchestrator._id));
    }
    throw commonErrors.conflict();
  }

  return {
    async find(id, namespace) {
      const orchestrator = await find(id);
      return orchestrator?._namespaces.includes(namespace) ? orchestrator : undefined;
    },
    anywhere: { find },
    async create(request, context) {
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
    async update(orchestrator, request, context) {
      await assertTasks(request._params.tasks ?? [], components);
      return onCurrent('EDIT', orchestrator, context, (before) => tryToChange(before, request, context));
    },
    async remove(orchestrator, context) {
      await onCurrent('DELETE', orchestrator, context, (before) => tryToRemove(before, context));
    },
    list: async (nsfilter, paging, access) =>
      orchestratorStore.list(await access.scope('READ', ORCHESTRATOR_TYPE, [nsfilter]), paging),
  };
}
