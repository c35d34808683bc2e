import { z } from 'zod';
import { createOutbox, defineCatalogue } from '@dtplatform/queue';
import type { Mongo } from '@dtplatform/mongo';
import type { EnqueueRuns } from '../store/orchrun/lost-runs.js';

/** The jobs of this service. A job holds only the id; everything else is stored in the run. */
export const runJobs = defineCatalogue('datasourcesvc.runs', { 'run.process': z.object({ runId: z.string() }) });

export function createEnqueueRuns({ db }: Mongo): EnqueueRuns {
  const outbox = createOutbox(db);
  const message = runJobs.messages['run.process'];
  // A job is removed when it ends, so that a run whose job failed permanently can be queued again.
  return (session, runIds) =>
    outbox.putMany(
      session,
      message,
      runIds.map((runId) => ({ payload: { runId }, id: runId, forget: true })),
    );
}
