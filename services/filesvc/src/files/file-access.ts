import type { Action } from '@dtplatform/contracts';
import { commonErrors } from '@dtplatform/errors';
import { homeOf } from '@dtplatform/permissions';
import type { Access, Scope } from '@dtplatform/permissions';
import { errors } from '../errors.js';
import { FILE_TYPE, irnOf } from './file.js';
import type { File } from './file.js';

/** Whether the caller has any permission in a namespace. Without one, the namespace looks empty. */
export async function maySee(access: Access, namespace: string): Promise<boolean> {
  const namespaces = await access.namespaces();
  return namespaces === 'all' || namespaces.includes(namespace);
}

export async function mayOn(access: Access, action: Action, { _irn, _namespaces, internal }: File) {
  for (const irn of [_irn, ...internal.ancestors.map(irnOf)]) {
    if (await access.may(action, irn, _namespaces)) return true;
  }
  return false;
}

/**
 * @param context the `nsfilter` of the call; for a write it must be a namespace of the file
 * @throws 404 when the file is missing or hidden, 403 when the caller may only read it
 */
export async function requireFile(
  access: Access,
  action: Action,
  file: File | undefined,
  context: string,
): Promise<File> {
  if (!file || !(await maySee(access, context)) || !(await mayOn(access, 'READ', file))) throw commonErrors.notFound();
  if (action === 'READ') return file;
  if (!file._namespaces.includes(context)) throw errors.namespaceMismatch();
  if (!(await mayOn(access, action, file))) throw await access.refusal(action, file._irn, file._namespaces);
  return file;
}

export const homeOfFile = ({ _namespaces, internal }: File): string => homeOf({ _namespaces, _home: internal.home });

/**
 * The rule of `requireDeletion` of libs/permissions.
 * @param context the `nsfilter` of the call, a namespace of the file
 * @returns whether the file is only removed from that namespace
 * @throws 403
 */
export async function requireDeletion(access: Access, file: File, context: string): Promise<boolean> {
  const home = homeOfFile(file);
  if (await mayOn(access, 'DELETE', { ...file, _namespaces: [home] })) return false;
  if (context === home || !(await mayOn(access, 'DELETE', { ...file, _namespaces: [context] })))
    throw await access.refusal('DELETE', file._irn, [context]);
  return true;
}

/** @throws 403 unless the caller may create files in all of these folders (or at the root) in all of the namespaces */
export async function requireCreate(access: Access, folders: File[], namespaces: string[]): Promise<void> {
  const lineages = folders.map(({ _irn, internal }) => [_irn, ...internal.ancestors.map(irnOf)]);
  if (lineages.length === 0) lineages.push([`${FILE_TYPE}:*`]);
  for (const lineage of lineages) {
    if (!(await mayInAll(access, 'CREATE', lineage, namespaces)))
      throw await access.refusal('CREATE', lineage[0]!, namespaces, true);
  }
}

/** Grants the creator `*` on a new file, unless a folder above does. Call it before the write. */
export async function ownNew(access: Access, file: File): Promise<void> {
  const above = file.internal.ancestors.map(irnOf);
  if (await mayInAll(access, '*', above, file._namespaces)) return;
  await access.own(file);
}

/**
 * Whether the caller has the permission on the folder in all of its namespaces, and so on everything below: it is in no
 * others.
 */
const mayOnAllBelow = (access: Access, action: Action, { _irn, _namespaces, internal }: File): Promise<boolean> =>
  mayInAll(access, action, [_irn, ...internal.ancestors.map(irnOf)], _namespaces);

/**
 * The scope that everything below must be in.
 * @param namespaces where the permission must hold; by default in any
 */
export async function scopeBelow(access: Access, action: Action, files: File[], namespaces?: string[]): Promise<Scope> {
  const isAll = (await Promise.all(files.map((file) => mayOnAllBelow(access, action, file)))).every(Boolean);
  return isAll ? 'everything' : access.scope(action, FILE_TYPE, namespaces);
}

/** Rejects early, before the body is read. @throws 403 when the caller may not create or edit any file in the namespace */
export async function requireSomeWrite(access: Access, namespace: string): Promise<void> {
  for (const action of ['CREATE', 'EDIT'] as const) {
    const scope = await access.scope(action, FILE_TYPE, [namespace]);
    if (scope === 'everything' || scope.all.length > 0 || scope.some.length > 0) return;
  }
  throw await access.refusal('CREATE', `${FILE_TYPE}:*`, [namespace]);
}

async function mayInAll(access: Access, action: Action | '*', irns: string[], namespaces: string[]): Promise<boolean> {
  for (const namespace of namespaces) {
    const permitted = await Promise.all(irns.map((irn) => access.may(action, irn, [namespace])));
    if (!permitted.includes(true)) return false;
  }
  return true;
}
