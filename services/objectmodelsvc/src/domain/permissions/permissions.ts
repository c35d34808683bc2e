import type { PermissionEntry } from '@dtplatform/contracts';
import { PermissionEntry as EntrySchema } from '@dtplatform/contracts';
import { AppError, commonErrors } from '@dtplatform/errors';
import type { Paging } from '@dtplatform/http';
import type { Access } from '@dtplatform/permissions';
import { errors } from '../errors.js';
import { askOnce } from './ask-once.js';
import type { Permission, WrittenPermission } from './permission.js';
import type { PermissionQuery, PermissionStore, Subjects } from './ports.js';

/** An entry of a write that was refused: which, why, and the entry itself. */
type RefusedEntry = { _index: number; code: string; message: string } & Record<string, unknown>;

export interface PermissionAdmin {
  /** Writes the entries that are valid and that the caller may grant; tells of the others one by one. */
  put(entries: unknown[], access: Access): Promise<{ success: WrittenPermission[]; failures: RefusedEntry[] }>;
  /** One's own permissions, and others' where the caller holds SHARE. */
  list(query: PermissionQuery, paging: Paging, access: Access): Promise<{ list: Permission[]; total: number }>;
  /** Takes a permission away, at once. @throws 404 when it is missing or hidden from the caller, 403 without SHARE */
  remove(id: string, access: Access): Promise<void>;
}

export function createPermissionAdmin({
  store,
  subjects,
}: {
  store: PermissionStore;
  subjects: Subjects;
}): PermissionAdmin {
  return {
    async put(entries, access) {
      const asked = askOnce(subjects);
      const checked = await Promise.all(entries.map((entry, index) => check(entry, index, access, asked)));
      const valid = checked.filter((result) => 'entry' in result).map(({ entry }) => entry);
      const success = valid.length > 0 ? await store.put(valid, access.principal.id) : [];
      return { success, failures: checked.filter((result) => 'failure' in result).map(({ failure }) => failure) };
    },
    async list(query, paging, access) {
      const visible = isOwn(query.user, access) || (await access.may('SHARE', query.irn, [query.namespace]));
      return visible ? store.list(query, paging) : { list: [], total: 0 };
    },
    async remove(id, access) {
      const permission = await store.find(id);
      if (!permission) throw commonErrors.notFound();
      if (!(await mayShare(permission, access))) {
        throw isOwn(permission._user, access) ? commonErrors.forbidden() : commonErrors.notFound();
      }
      await store.remove(permission);
    },
  };
}

type Checked = { entry: PermissionEntry } | { failure: RefusedEntry };

async function check(raw: unknown, index: number, access: Access, subjects: Subjects): Promise<Checked> {
  try {
    const parsed = EntrySchema.safeParse(raw);
    if (!parsed.success) throw errors.invalidEntry({ message: describe(parsed.error.issues) });
    await assertMayGrant(parsed.data, access);
    if (!(await subjects.exists(parsed.data._user))) throw errors.unknownSubject();
    return { entry: parsed.data };
  } catch (error) {
    if (!(error instanceof AppError) || error.status >= 500) throw error;
    const entry = typeof raw === 'object' && raw !== null ? raw : {};
    return { failure: { ...entry, _index: index, code: error.code, message: error.message } };
  }
}

const describe = (issues: { path: PropertyKey[]; message: string }[]) =>
  issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ');

/** A grantor needs SHARE and may grant only actions that it holds; apps are granted to by the platform alone. */
async function assertMayGrant(entry: PermissionEntry, access: Access): Promise<void> {
  const trusted = access.principal.kind === 'trusted';
  if (entry._user._type === 'app' && !trusted) throw errors.invalidEntry();
  const wanted = [...new Set<PermissionEntry['_actions'][number]>(['SHARE', ...entry._actions])];
  const held = await Promise.all(
    wanted.map((action) => access.may(action, entry._resourceDesc._irn, [entry._namespace])),
  );
  if (!held.every(Boolean)) throw errors.mayNotGrant();
}

const mayShare = (permission: Permission, access: Access) =>
  access.may('SHARE', permission._resourceDesc._irn, [permission._namespace]);

const isOwn = (user: PermissionEntry['_user'], { principal }: Access) =>
  user._type === 'user' && user._id === principal.id;
