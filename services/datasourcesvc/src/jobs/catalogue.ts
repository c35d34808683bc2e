import { z } from 'zod';
import { workspaceDeleted } from '@dtplatform/contracts';
import { defineCatalogue } from '@dtplatform/queue';

/** Everything else is stored in the run. `retries` identifies the attempt; jobs of the previous version lack it. */
const RunJob = z.object({ runId: z.string(), retries: z.int().min(0).optional() });
export type RunJob = z.infer<typeof RunJob>;

/** The jobs of this service. */
export const runJobs = defineCatalogue('datasourcesvc.runs', { 'run.process': RunJob });

/** From passportsvc. */
export const namespaceJobs = defineCatalogue('datasourcesvc.namespaces', { [workspaceDeleted.name]: workspaceDeleted });
