import { commonErrors } from '@dtplatform/errors';
import type { Access } from './access.js';

/** Accepted work, and who started it. */
export interface FoundTask<T extends { _namespaces: string[] }> {
  task: T;
  createdById: string;
}

/**
 * The task, for who started it as long as it holds anything in one of the task's namespaces, which nobody does once their workspace
 * is deleted; and for administrators and trusted clients.
 * @throws 404
 */
export async function requireOwnTask<T extends { _namespaces: string[] }>(
  found: FoundTask<T> | undefined,
  access: Access,
): Promise<T> {
  const { kind, id } = access.principal;
  const seesAll = kind === 'admin' || kind === 'trusted';
  if (!found || !(seesAll || (found.createdById === id && (await holdsAnything(found.task, access))))) {
    throw commonErrors.notFound();
  }
  return found.task;
}

async function holdsAnything({ _namespaces }: { _namespaces: string[] }, access: Access): Promise<boolean> {
  const held = await access.namespaces();
  return held === 'all' || _namespaces.some((namespace) => held.includes(namespace));
}
