import { z } from 'zod';
import { Namespace, ResourceId } from './names.js';

/** A workspace was deleted, and permissions in its namespaces have ended: whatever is there can be removed. */
export const WorkspaceDeleted = z.object({ _id: ResourceId, _namespaces: z.array(Namespace).min(1) });
export type WorkspaceDeleted = z.infer<typeof WorkspaceDeleted>;

/**
 * The message by which passportsvc tells the services that hold data in namespaces. It is sent twice: the second time for what
 * was written meanwhile.
 */
export const workspaceDeleted = { name: 'workspace.deleted.v1', payload: WorkspaceDeleted, attempts: 12 } as const;

/** The queues that it is sent to: one of each service that removes what it holds. */
export const WORKSPACE_DELETED_QUEUES = ['itemsvc.items'] as const;
