import DataLoader from 'dataloader';
import pLimit from 'p-limit';
import type { PermissionEntry, Subject } from '@dtplatform/contracts';
import { commonErrors, describeIssue, describeIssues, isRefusal } from '@dtplatform/errors';
import type { Access, GrantSource } from '@dtplatform/permissions';
import type { Listing, Paging, Precondition } from '@dtplatform/resource';
import { errors } from '../../errors.js';
import { createCriteriaCount } from './count-criteria.js';
import { holds } from './permission.js';
import type { Permission, WrittenPermission } from './permission.js';
import type { PermissionQuery, PermissionStore, Subjects } from './ports.js';
import { isOwn } from './question.js';
import { removeProfile, removeUser } from './remove-subject.js';
import { SentEntry } from './sent-entry.js';
import type { RefusedEntry } from './sent-entry.js';
import { createTakingAway } from './taking-away.js';

/** Calls and queries of one request at the same time. */
const LOOKUPS_AT_ONCE = 8;

interface Deps {
  permissionStore: PermissionStore;
  subjects: Subjects;
}

export interface Permissions extends GrantSource {
  /** Writes the entries that are valid and that the caller may grant; reports each of the others. */
  put(entries: unknown[], access: Access): Promise<{ success: WrittenPermission[]; failures: RefusedEntry[] }>;
  /** Lists the caller's own permissions, and those of others where the caller holds SHARE. */
  list(query: PermissionQuery, paging: Paging, access: Access): Promise<Listing<Permission>>;
  /**
   * Revokes a permission immediately. @param service finds only permissions on its resources
   * @throws 404 when it is missing or hidden, 403 without SHARE or one of its actions, lastOwner, 412 if it was changed
   */
  remove(id: string, precondition: Precondition, access: Access, service?: string): Promise<void>;
}

export function createPermissions({ permissionStore, subjects }: Deps): Permissions {
  /** Writes what may be written, all in one transaction. */
  const write = (candidates: ValidEntry[], access: Access) =>
    permissionStore.change(async (changes) => {
      const stored = await changes.replacedBy(candidates.map(({ entry }) => entry));
      const takingAway = createTakingAway(changes, stored, access);
      const criteriaCount = createCriteriaCount(changes, stored);
      const accepted: PermissionEntry[] = [];
      const refused: RefusedEntry[] = [];
      for (const { entry, raw, _index } of candidates) {
        try {
          await criteriaCount.add(entry);
          await takingAway.replace(entry);
          accepted.push(entry);
        } catch (error) {
          refused.push(refusalOf(raw, _index, error));
        }
      }
      const success = accepted.length > 0 ? await changes.put(accepted, stored, access.principal.id) : [];
      return { success, refused };
    });

  return {
    async put(entries, access) {
      const limit = pLimit(LOOKUPS_AT_ONCE);
      const existence = perSubject((users) => limit.map(users, (user) => subjects.exists(user)));
      const checked = await Promise.all(entries.map((entry, index) => checkEntry(entry, index, access, existence)));
      const valid = checked.filter((result) => 'entry' in result);
      const { success, refused } = valid.length > 0 ? await write(valid, access) : { success: [], refused: [] };
      const failures = [...checked.filter((result) => 'failure' in result).map(({ failure }) => failure), ...refused];
      return { success, failures: failures.toSorted((one, other) => one._index - other._index) };
    },
    async list(query, paging, access) {
      const visible = isOwn(query.user, access) || (await access.may('SHARE', query.irn, [query.namespace]));
      return visible ? permissionStore.list(query, paging) : { list: [], total: 0 };
    },
    async remove(id, precondition, access, service) {
      const permission = await permissionStore.find(id);
      if (!permission || !isOf(service, permission)) throw commonErrors.notFound();
      if (!(await holds(access, 'SHARE', permission))) {
        throw isOwn(permission._user, access) ? commonErrors.forbidden() : commonErrors.notFound();
      }
      const removed = await permissionStore.change(async (changes) => {
        const current = await changes.find(id);
        if (!current) return undefined;
        await createTakingAway(changes, [current], access).replace({ ...current, _actions: [] });
        return changes.remove(current, access.principal.id, precondition);
      });
      if (!removed) throw commonErrors.notFound();
    },
    grantsOf: (subject, namespace) => permissionStore.grantsOf(subject, namespace),
    namespacesOf: (subject) => permissionStore.namespacesOf(subject),
    grant: (entries) => permissionStore.grant(entries),
    removeUser: (id) => removeUser(permissionStore, id),
    removeProfile: (id, namespaces) => removeProfile(permissionStore, id, namespaces),
    putGroup: (id, members) => permissionStore.putGroup(id, members),
    close: (namespaces) => permissionStore.close(namespaces),
  };
}

/** Loads something once for each subject, however many entries of one call name it. */
const perSubject = <T>(load: (users: readonly Subject[]) => Promise<T[]>) =>
  new DataLoader<Subject, T, string>(load, { cacheKeyFn: ({ _type, _id }) => `${_type}:${_id}` });

interface ValidEntry {
  entry: PermissionEntry;
  raw: unknown;
  _index: number;
}
type CheckedEntry = ValidEntry | { failure: RefusedEntry };

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
    return { failure: refusalOf(raw, _index, error) };
  }
}

/** @throws the error itself unless it is a refusal */
function refusalOf(raw: unknown, _index: number, error: unknown): RefusedEntry {
  if (!isRefusal(error)) throw error;
  const entry = typeof raw === 'object' && raw !== null ? raw : {};
  return { ...entry, _index, code: error.code, message: error.message };
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
