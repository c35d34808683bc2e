import type { Mongo } from '@dtplatform/mongo';
import { Postponed, taskHandler } from '@dtplatform/queue';
import type { JobHandler, MessageType, Outbox, TaskPayload, Tasks } from '@dtplatform/queue';
import { createSandbox } from '@dtplatform/sandbox';
import type { Sandbox, ScriptOutcome } from '@dtplatform/sandbox';
import type { Ingestion } from './ingestion.js';
import type { IngestionStore } from './ingestion.store.js';
import type { ScriptResult, Scripts } from './message.js';
import type { IngestInput } from './messages.store.js';

export interface IngestionWorker {
  mongo: Mongo;
  outbox: Outbox;
  tasks: Tasks;
  ingestion: Ingestion;
  ingestionStore: IngestionStore;
}

/**
 * Stores the readings of accepted messages. The task's response counts the dead letters.
 * @param groupMessage carries on with acknowledged messages after the task has failed
 */
export const ingestMessages = (
  { mongo, outbox, tasks, ingestion, ingestionStore }: IngestionWorker,
  groupMessage: MessageType<{ groupId: string }>,
): JobHandler<TaskPayload> => {
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

  // Before the task starts: its number of starts is limited.
  return async (payload, job) => {
    const waitMs = await ingestion.waitMs(payload.taskId);
    if (waitMs !== undefined) throw new Postponed(waitMs);
    await work(payload, job);
  };
};

export const ingestGroup =
  (ingestion: Ingestion): JobHandler<{ groupId: string }> =>
  async ({ groupId }, { signal }) => {
    const waitMs = (await ingestion.waitMs(groupId)) ?? (await ingestion.run(groupId, signal));
    if (waitMs !== undefined) throw new Postponed(waitMs);
  };

/** Results are parsed in this process: enough for thousands of readings, not for millions of values. */
const LIMITS = { outputChars: 256 * 1024, outputValues: 20_000, runOutputChars: 512 * 1024, runMs: 2_000 };

export const createNormalizer = (threads: number): Sandbox => createSandbox({ threads, limits: LIMITS });

export const scriptsIn = (sandbox: Sandbox): Scripts => ({
  async normalize(configId, text, contents, signal) {
    let startedAt = 0;
    const onStart = () => (startedAt = performance.now());
    const outcomes = await sandbox.run({ text, functionName: 'normalize' }, contents, {
      owner: configId,
      signal,
      onStart,
    });
    return { results: outcomes.map(resultOf), tookMs: performance.now() - startedAt };
  },
});

const resultOf = (outcome: ScriptOutcome): ScriptResult => {
  if ('value' in outcome) return outcome;
  const { code, message } = outcome.error;
  return { failure: `${code}: ${message}`, isTimeout: code === 'TIMED_OUT' };
};
