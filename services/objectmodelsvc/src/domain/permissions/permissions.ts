import DataLoader from 'dataloader';
import pLimit from 'p-limit';
import { z } from 'zod';
import { PermissionEntry } from '@dtplatform/contracts';
import type { Subject } from '@dtplatform/contracts';
import { commonErrors, describeIssue, describeIssues, isRefusal } from '@dtplatform/errors';
import { allows } from '@dtplatform/permissions';
import type { Access, GrantCache, GrantSource } from '@dtplatform/permissions';
import type { Listing, Paging, Precondition } from '@dtplatform/resource';
import { errors } from '../../errors.js';
import { createTakingAway } from './taking-away.js';
import type { Permission, Question, RefusedEntry, WrittenPermission } from './permission.js';
import type { PermissionQuery, PermissionStore, Subjects } from './ports.js';

/** Calls and queries of one request at the same time. */
const LOOKUPS_AT_ONCE = 8;

interface Deps {
  permissionStore: PermissionStore;
  subjects: Subjects;
  grantCache: GrantCache;
}

export interface Permissions extends Pick<GrantSource, 'grantsOf' | 'namespacesOf' | 'putGroup' | 'close'> {
  /** Writes the entries that are valid and that the caller may grant; reports each of the others. */
  put(entries: unknown[], access: Access): Promise<{ success: WrittenPermission[]; failures: RefusedEntry[] }>;
  /** Lists the caller's own permissions, and those of others where the caller holds SHARE. */
  list(query: PermissionQuery, paging: Paging, access: Access): Promise<Listing<Permission>>;
  /**
   * Revokes a permission immediately.
   * @throws 404 when it is missing or hidden, 403 without SHARE or one of its actions, lastOwner, 412 if it was changed
   */
  remove(id: string, precondition: Precondition, access: Access): Promise<void>;
  /** Answers all questions with the permissions of this moment. @throws 403 when the caller may not ask one of them */
  check(questions: Question[], access: Access): Promise<boolean[]>;
}

export function createPermissions({ permissionStore, subjects, grantCache }: Deps): Permissions {
  /** Writes what may be written, all in one transaction. */
  const write = (candidates: ValidEntry[], access: Access) =>
    permissionStore.change(async (changes) => {
      const stored = await changes.replacedBy(candidates.map(({ entry }) => entry));
      const takingAway = createTakingAway(changes, stored, access);
      const accepted: PermissionEntry[] = [];
      const refused: RefusedEntry[] = [];
      for (const { entry, raw, _index } of candidates) {
        try {
          await takingAway.replace(entry);
          accepted.push(entry);
        } catch (error) {
          refused.push(refusalOf(raw, _index, error));
        }
      }
      const success = accepted.length > 0 ? await changes.put(accepted, access.principal.id) : [];
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
    async remove(id, precondition, access) {
      const permission = await permissionStore.find(id);
      if (!permission) throw commonErrors.notFound();
      const { _user, _resourceDesc, _namespace } = permission;
      if (!(await access.may('SHARE', _resourceDesc._irn, [_namespace]))) {
        throw isOwn(_user, access) ? commonErrors.forbidden() : commonErrors.notFound();
      }
      const removed = await permissionStore.change(async (changes) => {
        const current = await changes.find(id);
        if (!current) return undefined;
        await createTakingAway(changes, [current], access).replace({ ...current, _actions: [] });
        return changes.remove(current, precondition);
      });
      if (!removed) throw commonErrors.notFound();
    },
    async check(questions, access) {
      await assertMayAsk(questions, access);
      const lookups = perSubject((users) => Promise.all(users.map((user) => grantCache.peek(user))));
      return pLimit(LOOKUPS_AT_ONCE).map(questions, async ({ _user, _action, _irn, _namespace }) => {
        const lookup = await lookups.load(_user);
        return allows(await lookup.grants(_namespace), _action, _irn);
      });
    },
    grantsOf: (subject, namespace) => permissionStore.grantsOf(subject, namespace),
    namespacesOf: (subject) => permissionStore.namespacesOf(subject),
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
    const { success, data: entry, error } = PermissionEntry.safeParse(raw, { error: describeIssue });
    if (!success) throw errors.invalidEntry({ message: describeIssues(error.issues) });
    if (hasCriteria(raw)) throw errors.criteriaNotSupported();
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

/** Criteria are not evaluated: stored without them, a permission would hold for more than its writer meant. */
const Criteria = z.object({ _criteria: z.null().optional(), _subresourceDesc: z.null().optional() });
const WithoutCriteria = Criteria.extend({ _resourceDesc: Criteria });
const hasCriteria = (raw: unknown) => !WithoutCriteria.safeParse(raw).success;

/** A caller needs SHARE and can grant only actions that it holds itself. Only trusted clients grant to apps. */
async function assertMayGrant({ _user, _actions, _resourceDesc, _namespace }: PermissionEntry, access: Access) {
  if (_user._type === 'app' && access.principal.kind !== 'trusted') throw errors.invalidEntry();
  const needed = new Set<PermissionEntry['_actions'][number]>(['SHARE', ..._actions]);
  const held = await Promise.all([...needed].map((action) => access.may(action, _resourceDesc._irn, [_namespace])));
  if (!held.every(Boolean)) throw errors.mayNotGrant();
}

async function assertMayAsk(questions: Question[], access: Access): Promise<void> {
  for (const { _user, _irn, _namespace } of questions) {
    if (!isOwn(_user, access) && !(await access.may('SHARE', _irn, [_namespace]))) throw errors.mayNotAsk();
  }
}

const isOwn = (user: Subject, { principal }: Access) => user._type === 'user' && user._id === principal.id;
