import { z } from 'zod';
import type { Mongo } from '@dtplatform/mongo';
import { createOutbox, defineCatalogue } from '@dtplatform/queue';
import type { EnqueueLoads } from '../store/lost-loads.js';

/** The jobs of this service. With pauses that double, a load is tried for two minutes. */
export const loadJobs = defineCatalogue('graphicssvc.loads', {
  'load.process': { payload: z.object({ loadId: z.string() }), attempts: 8 },
});

export function createEnqueueLoads({ db }: Mongo): EnqueueLoads {
  const outbox = createOutbox(db);
  const message = loadJobs.messages['load.process'];
  // An id of its own for each request: the queue may still hold the job of the request before. Forgotten when it ends, so
  // that a load whose job failed for good can be put into the queue again.
  return (session, loads) =>
    outbox.putMany(
      session,
      message,
      loads.map(({ _id, _work }) => ({ payload: { loadId: _id }, id: `${_id}-${_work.requests}`, forget: true })),
    );
}
