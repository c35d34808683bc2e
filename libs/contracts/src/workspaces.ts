import { z } from 'zod';
import { Namespace, ResourceId } from './names.js';

/** A workspace was deleted and nobody has permissions in its namespaces any more: what they hold can be removed. */
export const WorkspaceDeleted = z.object({ _id: ResourceId, _namespaces: z.array(Namespace).min(1) });
export type WorkspaceDeleted = z.infer<typeof WorkspaceDeleted>;

/**
 * The message by which passportsvc announces this to services that hold data. It is sent twice: the second time for what running
 * requests wrote after the first.
 */
export const workspaceDeleted = { name: 'workspace.deleted.v1', payload: WorkspaceDeleted, attempts: 12 } as const;

/** One queue of each service that removes what it holds. */
export const WORKSPACE_DELETED_QUEUES = [
  'datasourcesvc.namespaces',
  'filesvc.namespaces',
  'graphicssvc.namespaces',
  'itemsvc.items',
  'metricsvc.namespaces',
] as const;
