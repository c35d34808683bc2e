import DataLoader from 'dataloader';
import pLimit from 'p-limit';
import type {
  Grant,
  GroupMembers,
  Listing,
  Paging,
  PermissionEntry,
  Precondition,
  Subject,
} from '@dtplatform/contracts';
import { commonErrors, describeIssue, describeIssues } from '@dtplatform/errors';
import type { Access } from '@dtplatform/permissions';
import { errors } from '../errors.js';
import { holds } from './permission.js';
import type { Permission, PermissionQuery, WrittenPermission } from './permission.js';
import type { PermissionStore } from './permissions.store.js';
import { isOwn } from './question.js';
import type { Subjects } from './subjects.client.js';
import { createTakingAway, removeHeldBy, removeProfile } from './taking-away.js';
import { createLiveness, createWriteEntries, rejectionOf, SentEntry, subjectKey } from './write-entries.js';
import type { RejectedEntry, ValidEntry } from './write-entries.js';

/** Concurrent calls and queries of one request. */
const LOOKUPS_AT_ONCE = 8;

interface Deps {
  permissionStore: PermissionStore;
  subjects: Subjects;
}

export function createPermissions({ permissionStore, subjects }: Deps) {
  const isAlive = createLiveness({ permissionStore, subjects });
  const write = createWriteEntries({ permissionStore, subjects, isAlive });

  return {
    /** Writes the valid entries that the caller may grant; reports the others. */
    async put(
      entries: unknown[],
      access: Access,
    ): Promise<{ success: WrittenPermission[]; failures: RejectedEntry[] }> {
      const limit = pLimit(LOOKUPS_AT_ONCE);
      const existence = perSubject((users) => limit.map(users, (user) => subjects.exists(user)));
      const checked = await Promise.all(entries.map((entry, index) => checkEntry(entry, index, access, existence)));
      const valid = checked.filter((result) => 'entry' in result);
      const { success, refused } = valid.length > 0 ? await write(valid, access) : { success: [], refused: [] };
      const failures = [...checked.filter((result) => 'failure' in result).map(({ failure }) => failure), ...refused];
      return { success, failures: failures.toSorted((one, other) => one._index - other._index) };
    },
    /** The caller's own permissions, and those of others where the caller holds SHARE. */
    async list(query: PermissionQuery, paging: Paging, access: Access): Promise<Listing<Permission>> {
      const visible = isOwn(query.user, access) || (await access.may('SHARE', query.irn, [query.namespace]));
      return visible ? permissionStore.list(query, paging) : { list: [], total: 0 };
    },
    /**
     * Revokes a permission immediately. @param service restricts it to permissions on its resources
     * @throws 404 when it does not exist or is hidden, 403 without SHARE or one of its actions, lastOwner, 412 when it
     * was changed
     */
    async remove(id: string, precondition: Precondition, access: Access, service?: string): Promise<void> {
      const permission = await permissionStore.find(id);
      if (!permission || !isOf(service, permission)) throw commonErrors.notFound();
      if (!(await holds(access, 'SHARE', permission))) {
        throw isOwn(permission._user, access)
          ? await access.refusal('SHARE', permission._resourceDesc._irn, [permission._namespace])
          : commonErrors.notFound();
      }
      const removed = await permissionStore.change(async (changes) => {
        const current = await changes.find(id);
        if (!current) return undefined;
        await createTakingAway(changes, [current], { access, isAlive }).replace({ ...current, _actions: [] });
        return changes.remove(current, access.principal.id, precondition);
      });
      if (!removed) throw commonErrors.notFound();
    },
    grantsOf: (subject: Subject, namespace: string): Promise<Grant[]> => permissionStore.grantsOf(subject, namespace),
    namespacesOf: (subject: Subject): Promise<string[]> => permissionStore.namespacesOf(subject),
    grant: (entries: PermissionEntry[]): Promise<void> => permissionStore.grant(entries),
    removeUser: (_id: string): Promise<void> => removeHeldBy(permissionStore, { _type: 'user', _id }),
    removeApp: (_id: string): Promise<void> => removeHeldBy(permissionStore, { _type: 'app', _id }),
    removeProfile: (id: string, namespaces: string[]): Promise<void> => removeProfile(permissionStore, id, namespaces),
    async putGroup(_id: string, members: GroupMembers): Promise<void> {
      await permissionStore.putGroup(_id, members);
      // Including grants made in the meantime, and its owner records if there are other owners.
      if (members._deleted) await removeHeldBy(permissionStore, { _type: 'usergroup', _id });
    },
    close: (namespaces: string[]): Promise<void> => permissionStore.close(namespaces),
  };
}

export type Permissions = ReturnType<typeof createPermissions>;

/** Loads once per subject, however many entries of one call name it. */
const perSubject = <T>(load: (users: readonly Subject[]) => Promise<T[]>) =>
  new DataLoader<Subject, T, string>(load, { cacheKeyFn: subjectKey });

type CheckedEntry = ValidEntry | { failure: RejectedEntry };

async function checkEntry(
  raw: unknown,
  _index: number,
  access: Access,
  existence: DataLoader<Subject, boolean, string>,
): Promise<CheckedEntry> {
  try {
    const { success, data: entry, error } = SentEntry.safeParse(raw, { error: describeIssue });
    if (!success) throw errors.invalidEntry({ message: describeIssues(error.issues) });
    await assertMayGrant(entry, access);
    if (!(await existence.load(entry._user))) throw errors.unknownSubject();
    return { entry, raw, _index };
  } catch (error) {
    return { failure: rejectionOf(raw, _index, error) };
  }
}

/** A caller needs SHARE and can grant only actions that it holds itself. Only trusted clients grant to apps. */
async function assertMayGrant(entry: PermissionEntry, access: Access) {
  if (entry._user._type === 'app' && access.principal.kind !== 'trusted') throw errors.invalidEntry();
  const needed = new Set<PermissionEntry['_actions'][number]>(['SHARE', ...entry._actions]);
  const held = await Promise.all([...needed].map((action) => holds(access, action, entry)));
  if (!held.every(Boolean)) throw errors.mayNotGrant();
}

const isOf = (service: string | undefined, { _resourceDesc }: PermissionEntry): boolean =>
  service === undefined || _resourceDesc._irn.startsWith(`${service}:`);
