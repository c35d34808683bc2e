import { z } from 'zod';
import { workspaceDeleted } from '@dtplatform/contracts';
import { defineCatalogue } from '@dtplatform/queue';

/** The jobs of this service. A message says that there are queued runs; which ones, MongoDB knows. */
export const runJobs = defineCatalogue('datasourcesvc.runs', { 'run.queued': z.object({}) });

/** From passportsvc. */
export const namespaceJobs = defineCatalogue('datasourcesvc.namespaces', { [workspaceDeleted.name]: workspaceDeleted });
