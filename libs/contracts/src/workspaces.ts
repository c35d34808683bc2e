import { z } from 'zod';
import { Namespace, ResourceId } from './names.js';

/** A workspace was deleted and nobody has permissions in its namespaces any more. Services delete their data. */
export const WorkspaceDeleted = z.object({ _id: ResourceId, _namespaces: z.array(Namespace).min(1) });
export type WorkspaceDeleted = z.infer<typeof WorkspaceDeleted>;

/**
 * Sent by passportsvc to every service with data. Sent twice: the second time covers writes of requests that were
 * running the first time.
 */
export const workspaceDeleted = { name: 'workspace.deleted.v1', payload: WorkspaceDeleted, attempts: 12 } as const;

/** Each service's queue for it. */
export const WORKSPACE_DELETED_QUEUES = [
  'datasourcesvc.namespaces',
  'filesvc.namespaces',
  'graphicssvc.namespaces',
  'itemsvc.items',
  'metricsvc.namespaces',
] as const;
