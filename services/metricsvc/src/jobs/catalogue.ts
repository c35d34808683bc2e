import { UsageRecorded, usageRecorded, workspaceDeleted } from '@dtplatform/contracts';
import { defineCatalogue } from '@dtplatform/queue';

/** The messages that other services send to metricsvc. */
export const usageQueue = defineCatalogue(usageRecorded.queue, { [usageRecorded.name]: UsageRecorded });

/** From passportsvc. */
export const namespaceJobs = defineCatalogue('metricsvc.namespaces', { [workspaceDeleted.name]: workspaceDeleted });
