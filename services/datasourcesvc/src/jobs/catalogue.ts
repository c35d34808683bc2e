import { z } from 'zod';
import { createOutbox, defineCatalogue } from '@dtplatform/queue';
import type { Mongo } from '@dtplatform/mongo';
import type { EnqueueRuns } from '../store/lost-runs.js';

/** The jobs of this service. All that a job needs to know of a run is in the run. */
export const runJobs = defineCatalogue('datasourcesvc.runs', { 'run.process': z.object({ runId: z.string() }) });

export function createEnqueueRuns({ db }: Mongo): EnqueueRuns {
  const outbox = createOutbox(db);
  const message = runJobs.messages['run.process'];
  // Forgotten when it ends, so that a run whose job failed for good can be put into the queue again.
  return (session, runIds) =>
    outbox.putMany(
      session,
      message,
      runIds.map((runId) => ({ payload: { runId }, id: runId, forget: true })),
    );
}
