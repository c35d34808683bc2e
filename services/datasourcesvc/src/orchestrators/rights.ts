import { permissionProfileIrn } from '@dtplatform/contracts';
import type { PermissionEntry } from '@dtplatform/contracts';
import { allows, requireMove } from '@dtplatform/permissions';
import type { Access, GrantCache } from '@dtplatform/permissions';
import { errors } from '../errors.js';
import { ORCHESTRATOR_ACTIONS, orchestratorIrn, ownerOf } from './orchestrator.js';
import type { Orchestrator, ScheduleState } from './orchestrator.js';
import type { Profiles } from './profiles.client.js';
import { changesOwner, changesRuns } from './written.js';

interface Context {
  access: Access;
  /** `nsfilter` */
  namespace: string;
  profiles: Profiles;
  ownerRights: OwnerRights;
}

/**
 * Requires ASSIGN on a profile that belongs to all namespaces of the orchestrator. Otherwise, somebody with ASSIGN on
 * `*` in their own namespace could assign a profile of another. @param assignedIn where ASSIGN is required @throws
 * unknownProfile, forbidden
 */
export async function requireProfile(
  { _permissionprofileid: id, _namespaces }: Orchestrator,
  assignedIn: string[],
  { access, profiles }: Pick<Context, 'access' | 'profiles'>,
): Promise<void> {
  if (id === undefined) return;
  await access.requireIn('ASSIGN', permissionProfileIrn(id), assignedIn);
  const known = new Set(await profiles.namespacesOf(id));
  if (!_namespaces.every((namespace) => known.has(namespace))) throw errors.unknownProfile();
}

interface Change {
  before: Orchestrator;
  after: Orchestrator;
}

/** The fields of an orchestrator that decide who may move and delete it. */
export const placeOf = ({ _id, _namespaces, _home }: Orchestrator) => ({
  _irn: orchestratorIrn(_id),
  _namespaces,
  _home,
});

/**
 * Permits a change. Entering and leaving namespaces follows `requireMove`. Changing what runs with a profile's
 * permissions needs ASSIGN on the profile. Changing what a schedule runs needs RUN, because it then runs with the
 * caller's permissions.
 * @returns as `requireMove`
 * @throws 403 when the caller may not do this, 400 when the profile does not belong to all namespaces
 */
export async function requireChange(
  { before, after }: Change,
  context: Context,
): Promise<{ home: string; grants: PermissionEntry[] }> {
  const { access, namespace } = context;
  const irn = orchestratorIrn(before._id);
  const added = without(after._namespaces, before._namespaces);
  const where = (needed: string[]) => without(needed, added);
  await access.requireIn('EDIT', irn, where([namespace]));
  const move = {
    after: { _irn: irn, _namespaces: after._namespaces },
    actions: ORCHESTRATOR_ACTIONS,
    context: namespace,
  };
  const moved = await requireMove(access, placeOf(before), move);
  const isNewUse = changesRuns(before, after);
  if (isNewUse || added.length > 0) await requireProfile(after, isNewUse ? after._namespaces : added, context);
  if (!changesOwner(before, after)) return moved;
  await access.requireIn('RUN', irn, where([after._schedule!.namespace]));
  await requireOwner(after, context);
  return moved;
}

/**
 * A trusted client may do everything in its calls, but its schedules have only the permissions granted to it.
 * @throws ownerMayNotRun
 */
export async function requireOwner(
  { _id, _schedule }: Orchestrator,
  { access, ownerRights }: Pick<Context, 'access' | 'ownerRights'>,
): Promise<void> {
  if (!_schedule || access.principal.kind !== 'trusted') return;
  const mayRun = await ownerRights.mayRun(ownerOf(_schedule), orchestratorIrn(_id), _schedule.namespace);
  if (!mayRun) throw errors.ownerMayNotRun();
}

const without = (namespaces: string[], others: string[]): string[] =>
  namespaces.filter((namespace) => !others.includes(namespace));

/** Current permissions of schedule owners, who are not calling. */
export const ownerRights = (grantCache: Pick<GrantCache, 'peek'>) => ({
  async mayRun(
    { id, type }: { id: string; type: ScheduleState['ownerType'] },
    irn: string,
    namespace: string,
  ): Promise<boolean> {
    const lookup = await grantCache.peek({ _type: type, _id: id });
    return allows(await lookup.grants(namespace), 'RUN', irn);
  },
});

export type OwnerRights = ReturnType<typeof ownerRights>;
