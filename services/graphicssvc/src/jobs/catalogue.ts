import { z } from 'zod';
import type { Mongo } from '@dtplatform/mongo';
import { createOutbox, defineCatalogue } from '@dtplatform/queue';
import type { EnqueueLoads } from '../store/filestore/lost-loads.js';

/** The jobs of this service. With exponential backoff, a load is retried for about two minutes. */
export const loadJobs = defineCatalogue('graphicssvc.loads', {
  'load.process': { payload: z.object({ loadId: z.string() }), attempts: 8 },
});

export function createEnqueueLoads({ db }: Mongo): EnqueueLoads {
  const outbox = createOutbox(db);
  const message = loadJobs.messages['load.process'];
  // Each request has its own id, since the queue may still hold the job of an earlier one. A job is removed when it ends, so
  // that a load whose job failed permanently can be queued again.
  return (session, loads) =>
    outbox.putMany(
      session,
      message,
      loads.map(({ _id, _work }) => ({ payload: { loadId: _id }, id: `${_id}-${_work.requests}`, forget: true })),
    );
}
