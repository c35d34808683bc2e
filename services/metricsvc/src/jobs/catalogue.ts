import { usageBatch, workspaceDeleted } from '@dtplatform/contracts';
import { defineCatalogue } from '@dtplatform/queue';

/** What other services send to metricsvc. */
export const usageQueue = defineCatalogue(usageBatch.queue, { [usageBatch.name]: usageBatch });

/** From passportsvc. */
export const namespaceJobs = defineCatalogue('metricsvc.namespaces', { [workspaceDeleted.name]: workspaceDeleted });
