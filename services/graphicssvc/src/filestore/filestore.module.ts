import { z } from 'zod';
import { workspaceDeleted } from '@dtplatform/contracts';
import { defineCatalogue } from '@dtplatform/queue';

/** The jobs of this service. With exponential backoff, a load is retried for about two minutes. */
export const loadJobs = defineCatalogue('graphicssvc.loads', {
  'load.process': { payload: z.object({ loadId: z.string() }), attempts: 8 },
});

/** From passportsvc. */
export const namespaceJobs = defineCatalogue('graphicssvc.namespaces', { [workspaceDeleted.name]: workspaceDeleted });
