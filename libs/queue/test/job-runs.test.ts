import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { commonErrors } from '@dtplatform/errors';
import { eventually } from '@dtplatform/testing';
import { createOutbox, defineCatalogue, PermanentError, Postponed, startRelay, startWorker } from '../src/index.js';
import type { HandlersOf, JobRun, Task, WorkerHandle } from '../src/index.js';
import { dropDatabase, log, openDatabase, redisUrl } from './support.js';
import { double, openTaskQueue } from './task-queue.js';

const catalogue = defineCatalogue('test.runs', {
  greet: { payload: z.object({ name: z.string() }), attempts: 2, backoffMs: 10 },
});
const mongo = await openDatabase();
const queuePrefix = mongo.db.databaseName;
const outbox = createOutbox(mongo);
const relay = await startRelay({ mongo, redisUrl, log, queuePrefix });
afterAll(async () => {
  await relay.stop();
  await dropDatabase(mongo);
});

describe('worker outcomes', () => {
  let worker: WorkerHandle | undefined;
  afterEach(() => worker?.stop(0));

  /** Runs one job whose attempts end like the functions, and returns the outcomes. */
  async function runsOf(name: string, ...attempts: (() => Promise<void>)[]): Promise<JobRun[]> {
    const runs: JobRun[] = [];
    const handlers: HandlersOf<typeof catalogue> = {
      greet: async (payload) => {
        if (payload.name === name) await attempts.shift()!();
      },
    };
    worker = await startWorker({ catalogue, redisUrl, handlers, log, queuePrefix });
    worker.onRun((run) => void runs.push(run));
    const expected = attempts.length;
    await mongo.transaction((session) => outbox.put(session, catalogue.messages.greet, { name }));
    await eventually(() => expect(runs).toHaveLength(expected));
    return runs;
  }
  const done = async () => undefined;
  const postpone = () => Promise.reject(new Postponed(10));
  const fail = () => Promise.reject(new Error('not today'));

  it.each<[string, (() => Promise<void>)[], string[]]>([
    ['that is postponed, fails and succeeds', [postpone, fail, done], ['postponed', 'retried', 'done']],
    ['that uses up its attempts', [fail, fail, done], ['retried', 'failed', 'done']],
    ['whose error is permanent', [() => Promise.reject(new PermanentError('never'))], ['failed']],
  ])('report how each run of a job ended: %s', async (what, attempts, outcomes) => {
    const runs = await runsOf(what, ...attempts);
    expect(runs.map(({ message, outcome }) => [message, outcome])).toEqual(outcomes.map((one) => ['greet', one]));
    for (const { durationSec } of runs) expect(durationSec).toBeGreaterThan(0);
  });

  it('report how tasks ended: rejected, or failed', async () => {
    const queue = await openTaskQueue();
    const runs: JobRun[] = [];
    const work = async (task: Task<{ amount: number }>) => {
      if (task._input.amount === 1) throw commonErrors.conflict();
      if (task._input.amount === 2) throw new PermanentError('never');
      return double(task);
    };
    (await queue.work(work)).onRun((run) => void runs.push(run));
    for (const amount of [1, 2, 3]) await queue.ended(await queue.accept(amount));
    await eventually(() => {
      const outcomes = runs.map(({ outcome }) => outcome);
      // A redelivered message finds that its task has ended, which is not another failure.
      expect(outcomes.filter((outcome) => outcome !== 'done')).toEqual(['rejected', 'failed']);
      expect(outcomes.at(-1)).toBe('done');
    });
    await queue.reset();
    await queue.close();
  });
});
