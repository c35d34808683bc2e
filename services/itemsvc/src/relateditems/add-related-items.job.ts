import { taskHandler } from '@dtplatform/queue';
import type { JobHandler, TaskPayload, Tasks } from '@dtplatform/queue';
import type { BulkInput, BulkWriter } from './bulk.store.js';

/** Adds the entries of an accepted bulk, batch by batch. A retry resumes where the previous run ended. */
export function addRelatedItems(tasks: Tasks, writer: BulkWriter): JobHandler<TaskPayload> {
  const handle = taskHandler<BulkInput>(tasks, async ({ _id, _input }, { signal, progress }) => {
    for (let done = await writer.addNext(_id, _input); done !== undefined; done = await writer.addNext(_id, _input)) {
      signal.throwIfAborted();
      await progress(done);
    }
    const { count, failures } = _input;
    const body = { _total: count, _failures: failures };
    return { status: 201, statusMsg: 'Created', body, batchCompleted: count };
  });
  return async (payload, job) => {
    await handle(payload, job);
    const task = await tasks.get(payload.taskId);
    if (task?._status === 'ERROR') await writer.discard(payload.taskId);
  };
}
