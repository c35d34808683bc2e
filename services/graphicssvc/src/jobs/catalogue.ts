import { z } from 'zod';
import { defineCatalogue } from '@dtplatform/queue';

/** The jobs of this service. With exponential backoff, a load is retried for about two minutes. */
export const loadJobs = defineCatalogue('graphicssvc.loads', {
  'load.process': { payload: z.object({ loadId: z.string() }), attempts: 8 },
});
