import { afterAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@dtplatform/testing';
import { startApp, step } from './start-app.js';
import type { TestComponent } from './start-app.js';

const INTERRUPTED = 'The step was interrupted and must not run again; retry the run.';

const calls: string[] = [];
/** Steps that wait, by key; calling one ends it. */
const waiting = new Map<string, () => void>();

/** At its first call with a key it waits and ignores the signal. */
const run: TestComponent['run'] = async (params) => {
  const { key } = params as { key: string };
  calls.push(key);
  if (callsOf(key) > 1) return 'second time';
  await new Promise<void>((resolve) => waiting.set(key, resolve));
  return 'first time';
};
const callsOf = (key: string) => calls.filter((call) => call === key).length;

const app = await startApp({
  components: [
    { name: 'repeatable', mayRunAgain: true, run },
    { name: 'once', mayRunAgain: false, run },
  ],
});
const { owner } = app;
afterAll(() => app.stop());

/** What happens to a step when its process dies. */
describe('an interrupted step', () => {
  const start = async (key: string, _orchcomp: string) => {
    const tasks = [step('wait', { ms: 0 }), step(_orchcomp, { key }, 2)];
    return app.run(owner, (await app.create(owner, tasks)).id);
  };
  const hasBegun = (key: string) => eventually(() => expect(waiting.has(key)).toBe(true));

  it('ends its run as ERROR if its component forbids repetition', async () => {
    const { id } = await start('never again', 'once');
    const first = app.processRuns();
    await hasBegun('never again');
    await app.lose(id);
    await app.processRuns();
    const ended = await app.getRun(owner, id);
    expect(ended).toMatchObject({ _status: 'ERROR', _statusmsg: INTERRUPTED });
    expect(ended.orchrunsteps).toMatchObject([{ _status: 'COMPLETED' }, { _status: 'ERROR', _statusmsg: INTERRUPTED }]);
    expect(callsOf('never again')).toBe(1);
    waiting.get('never again')!();
    await first;
    expect(await app.getRun(owner, id)).toEqual(ended);
  });

  it('ends its run as ERROR if its end cannot be stored', async () => {
    const { id } = await start('unstorable', 'once');
    const claimed = (await app.deps.runStore.claimQueued(1))[0]!;
    await app.deps.runStore.end(claimed, { _status: 'COMPLETED', done: 2, steps: {}, _result: { _bsontype: 'Long' } });
    const _statusmsg = 'The result of the run cannot be stored.';
    expect(await app.getRun(owner, id)).toMatchObject({ _status: 'ERROR', _statusmsg });
  });

  it('does not end its run as ERROR if the database rejects a write for another reason', async () => {
    const { id } = await start('refused', 'once');
    const claimed = (await app.deps.runStore.claimQueued(1))[0]!;
    const accept = (validator: object) => app.mongo.db.command({ collMod: app.runs.collectionName, validator });
    await accept({ _status: { $ne: 'COMPLETED' } });
    await expect(app.deps.runStore.end(claimed, { _status: 'COMPLETED', done: 2, steps: {} })).rejects.toThrow();
    await accept({});
    expect(await app.getRun(owner, id)).toMatchObject({ _status: 'RUNNING' });
    await app.deps.runStore.end(claimed, { _status: 'COMPLETED', done: 2, steps: {} });
    expect(await app.getRun(owner, id)).toMatchObject({ _status: 'COMPLETED' });
  });

  it('has more time before its run ends, since its process may be cut off from the database', async () => {
    const runs = [await start('longer', 'once'), await start('shorter', 'repeatable')];
    const first = app.processRuns();
    for (const key of ['longer', 'shorter']) await hasBegun(key);
    const overdue = { $set: { '_work.lease.until': new Date(Date.now() - 10_000) } };
    await app.runs.updateMany({ _id: { $in: runs.map(({ id }) => id) } }, overdue);
    expect(await app.processRuns()).toBe(1);
    expect([callsOf('longer'), callsOf('shorter')]).toEqual([1, 2]);
    for (const key of ['longer', 'shorter']) waiting.get(key)!();
    await first;
    expect(await app.getRun(owner, runs[0].id)).toMatchObject({ _status: 'COMPLETED', _result: 'first time' });
  });

  it('has no effect on later steps, which may be repeated', async () => {
    const tasks = [step('once', { key: 'before' }), step('repeatable', { key: 'after' }, 2)];
    const { id } = await app.run(owner, (await app.create(owner, tasks)).id);
    const first = app.processRuns();
    await hasBegun('before');
    waiting.get('before')!();
    await hasBegun('after');
    await app.lose(id);
    await app.processRuns();
    expect(await app.getRun(owner, id)).toMatchObject({ _status: 'COMPLETED' });
    expect([callsOf('before'), callsOf('after')]).toEqual([1, 2]);
    waiting.get('after')!();
    await first;
  });

  it('counts as interrupted when its worker stops', async () => {
    // Enough for its last writes.
    const worker = await app.startWorker({ SHUTDOWN_GRACE_MS: '5200' });
    const { id } = await start('stopped', 'once');
    await hasBegun('stopped');
    await worker.stop();
    const ended = await app.untilStatus(owner, id, 'ERROR');
    expect(ended).toMatchObject({ _statusmsg: INTERRUPTED });
    expect(callsOf('stopped')).toBe(1);
  });

  it('that had not started was not interrupted', async () => {
    const { id } = await start('not begun', 'once');
    const stopping = AbortSignal.abort(new Error('The worker is stopping.'));
    expect(await app.processRuns(stopping)).toBe(1);
    expect(waiting.has('not begun')).toBe(false);
    const second = app.processRuns();
    await hasBegun('not begun');
    waiting.get('not begun')!();
    await second;
    expect(await app.getRun(owner, id)).toMatchObject({ _status: 'COMPLETED' });
  });
});
