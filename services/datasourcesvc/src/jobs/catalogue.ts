import { z } from 'zod';
import { createOutbox, defineCatalogue } from '@dtplatform/queue';
import type { Mongo } from '@dtplatform/mongo';
import type { EnqueueRun } from '../store/lost-runs.js';

/** The jobs of this service. All that a job needs to know of a run is in the run. */
export const runJobs = defineCatalogue('datasourcesvc.runs', { 'run.process': z.object({ runId: z.string() }) });

export function createEnqueueRun({ db }: Mongo): EnqueueRun {
  const outbox = createOutbox(db);
  // Forgotten when it ends, so that a run whose job failed for good can be put into the queue again.
  return (session, runId) =>
    outbox.put(session, runJobs.messages['run.process'], { runId }, { id: runId, forget: true });
}
