import type { Action } from '@dtplatform/contracts';
import { commonErrors } from '@dtplatform/errors';
import type { Access } from '@dtplatform/permissions';
import { errors } from '../errors.js';
import { FILE_TYPE, irnOf } from './file.js';
import type { StoredFile } from './file.js';

/** Whether the caller holds anything in a namespace; a context that it may not see hides everything. */
export async function maySee(access: Access, namespace: string): Promise<boolean> {
  const namespaces = await access.namespaces();
  return namespaces === 'all' || namespaces.includes(namespace);
}

/** Whether the caller may do this to a file in one of its namespaces: by a permission on it or on a folder above it. */
export async function mayOn(access: Access, action: Action, { _irn, _namespaces, internal }: StoredFile) {
  for (const irn of [_irn, ...internal.ancestors.map(irnOf)]) {
    if (await access.may(action, irn, _namespaces)) return true;
  }
  return false;
}

/**
 * Lets a found file through.
 * @param context the call's `nsfilter`; a write must name a namespace of the file by it
 * @throws 404 when it is missing or hidden from the caller, 403 when the caller may read it but not do this
 */
export async function requireFile(
  access: Access,
  action: Action,
  file: StoredFile | undefined,
  context: string,
): Promise<StoredFile> {
  if (!file || !(await maySee(access, context)) || !(await mayOn(access, 'READ', file))) throw commonErrors.notFound();
  if (action === 'READ') return file;
  if (!file._namespaces.includes(context)) throw errors.namespaceMismatch();
  if (!(await mayOn(access, action, file))) throw commonErrors.forbidden();
  return file;
}

/** @throws 403 unless the caller may create below these folders (at the root: any file), in every one of the namespaces */
export async function requireCreate(access: Access, folders: StoredFile[], namespaces: string[]): Promise<void> {
  const lineages = folders.map(({ _irn, internal }) => [_irn, ...internal.ancestors.map(irnOf)]);
  if (lineages.length === 0) lineages.push([`${FILE_TYPE}:*`]);
  for (const lineage of lineages) {
    if (!(await mayInAll(access, 'CREATE', lineage, namespaces))) throw commonErrors.forbidden();
  }
}

/** Gives the creator `*` on what it creates, unless a folder above gives that already. Before the write. */
export async function ownNew(access: Access, file: StoredFile): Promise<void> {
  const above = file.internal.ancestors.map(irnOf);
  if (await mayInAll(access, '*', above, file._namespaces)) return;
  await access.own(file);
}

/** @throws 403 for a caller that may neither create nor change any file in the namespace: nothing needs to be read from it */
export async function requireSomeWrite(access: Access, namespace: string): Promise<void> {
  for (const action of ['CREATE', 'EDIT'] as const) {
    const scope = await access.scope(action, FILE_TYPE, [namespace]);
    if (scope === 'everything' || scope.all.length > 0 || scope.some.length > 0) return;
  }
  throw commonErrors.forbidden();
}

async function mayInAll(access: Access, action: Action | '*', irns: string[], namespaces: string[]): Promise<boolean> {
  for (const namespace of namespaces) {
    const answers = await Promise.all(irns.map((irn) => access.may(action, irn, [namespace])));
    if (!answers.includes(true)) return false;
  }
  return true;
}
