import { z } from 'zod';
import { workspaceDeleted } from '@dtplatform/contracts';
import { defineCatalogue } from '@dtplatform/queue';

/** The jobs of this service. A job holds only the id; everything else is stored in the run. */
export const runJobs = defineCatalogue('datasourcesvc.runs', { 'run.process': z.object({ runId: z.string() }) });

/** From passportsvc. */
export const namespaceJobs = defineCatalogue('datasourcesvc.namespaces', { [workspaceDeleted.name]: workspaceDeleted });
