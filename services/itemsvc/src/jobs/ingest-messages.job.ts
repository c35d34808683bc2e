import type { Mongo } from '@dtplatform/mongo';
import { Postponed, taskHandler } from '@dtplatform/queue';
import type { JobHandler, MessageType, Outbox, TaskPayload, Tasks } from '@dtplatform/queue';
import type { Ingestion } from '../domain/messages/ingestion.js';
import type { IngestionStore } from '../domain/messages/ports.js';
import type { IngestInput } from '../store/messages/message-store.js';

interface Deps {
  mongo: Mongo;
  outbox: Outbox;
  tasks: Tasks;
  ingestion: Ingestion;
  ingestionStore: IngestionStore;
  /** Stores what is left when the task has failed: its messages are acknowledged. */
  groupMessage: MessageType<{ groupId: string }>;
}

/** Stores the readings of accepted messages; the response of the task says how many became dead letters. */
export const ingestMessages = (deps: Deps): JobHandler<TaskPayload> => {
  const { mongo, outbox, tasks, ingestion, ingestionStore, groupMessage } = deps;
  const handOver = (groupId: string) =>
    mongo.transaction((session) => outbox.put(session, groupMessage, { groupId }, { id: `${groupId}-rest` }));

  const work = taskHandler<IngestInput>(tasks, async ({ _id, _input }, { signal, lastAttempt }) => {
    try {
      const waitMs = await ingestion.run(_id, signal);
      if (waitMs !== undefined) throw new Postponed(waitMs);
    } catch (error) {
      if (lastAttempt && !(error instanceof Postponed)) await handOver(_id);
      throw error;
    }
    const _deadLetters = await ingestionStore.countDeadLetters(_id);
    return { status: 200, body: { _total: _input.total, _deadLetters }, batchCompleted: _input.total };
  });

  // Before the task begins: it may not begin often.
  return async (payload, job) => {
    const waitMs = await ingestion.waitMs(payload.taskId);
    if (waitMs !== undefined) throw new Postponed(waitMs);
    await work(payload, job);
  };
};
