import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@dtplatform/testing';
import { RUNS, startApp } from './start-app.js';
import type { TestApp, TestComponent } from './start-app.js';

type Params = Record<string, unknown>;

/** Steps that wait until the test lets them go on, by their keys. */
const gates = new Map<string, () => void>();
const open = (key: string) => gates.get(key)!();

const components: TestComponent[] = [
  { name: 'give', run: async (params) => (params as Params).value },
  {
    name: 'repeat',
    run: async (params) => (params as { text: string; times: number }).text.repeat((params as { times: number }).times),
  },
  {
    name: 'nest',
    run: async (params) =>
      JSON.parse('['.repeat((params as { depth: number }).depth) + ']'.repeat((params as { depth: number }).depth)),
  },
  {
    name: 'report',
    async run(params, { progress, log, signal }) {
      const { key } = params as { key: string };
      progress(-5);
      for (let line = 1; line <= 150; line++) log(`line ${line}`);
      log('one\ntwo');
      progress(40.7, 'Four of ten.');
      await new Promise<void>((resolve, reject) => {
        gates.set(key, resolve);
        signal.addEventListener('abort', () => reject(signal.reason as Error));
      });
      log('the last line');
      progress(400, 'Ten of ten.');
      if (key === 'fails') throw new Error('secret');
      return key;
    },
  },
  {
    name: 'flood',
    async run(_params, { progress, log }) {
      for (let turn = 0; turn < 10_000; turn++) {
        log('ä'.repeat(5_000));
        progress(turn / 1_000);
        if (turn % 5_000 === 0) await nextTurn();
      }
    },
  },
];

describe('the state of a step', () => {
  let app: TestApp;
  let owner: { authorization: string };
  const instant = async (...tasks: object[]) => {
    const numbered = tasks.map((task, index) => ({ ...task, _sequenceno: index + 1 }));
    return app.run(owner, (await app.create(owner, numbered, { instant: true })).id);
  };
  const step = (_orchcomp: string, _actualparams: object) => ({ _orchcomp, _actualparams });
  const reporting = async (key: string) => {
    const tasks = [step('give', { value: 1 }), step('report', { key }), step('give', { value: 3 })];
    const numbered = tasks.map((task, index) => ({ ...task, _sequenceno: index + 1 }));
    const run = await app.run(owner, (await app.create(owner, numbered)).id);
    await eventually(() => expect(gates.has(key)).toBe(true), { timeoutMs: 20_000 });
    return run;
  };

  beforeAll(async () => {
    app = await startApp({ components });
    await app.startWorker();
    owner = await app.as('olga');
    await app.grants.allow('olga', 'tower_1', '*:*:*', ['*']);
  });
  afterAll(() => app.stop());

  it('has its own result and times, in order', async () => {
    const run = await instant(
      step('give', { value: { 'a.b': [1], $c: null } }),
      step('give', {}),
      step('give', { value: 'x' }),
    );
    expect(run).toMatchObject({ _status: 'COMPLETED', _progress: 100, _statusmsg: '', _result: 'x' });
    expect(run.orchrunsteps.map(({ _result }: Params) => _result)).toEqual([{ 'a.b': [1], $c: null }, null, 'x']);
    const times = run.orchrunsteps.flatMap(({ _startedat, _endedat }: Params) => [_startedat, _endedat]);
    for (const time of times) expect(time).toMatch(/^\d{13}$/);
    expect(times).toEqual(times.toSorted());
    expect(await app.getRun(owner, run.id)).toEqual(run);
  });

  it('is shown while it works, with the percent and the message of the run', async () => {
    const run = await reporting('shown');
    const shown = await eventually(
      async () => {
        const now = await app.getRun(owner, run.id);
        expect(now._statusmsg).toBe('Four of ten.');
        return now;
      },
      { timeoutMs: 10_000 },
    );
    expect(shown).toMatchObject({ _status: 'RUNNING', _progress: 46, _result: null });
    const [before, current, after] = shown.orchrunsteps;
    expect(before).toMatchObject({ _status: 'COMPLETED', _progress: 100, _result: 1, _log: [] });
    expect(current).toMatchObject({ _status: 'RUNNING', _progress: 40, _statusmsg: 'Four of ten.', _result: null });
    expect(current).not.toHaveProperty('_endedat');
    expect(after).not.toHaveProperty('_startedat');
    // The newest hundred lines.
    expect(current._log).toHaveLength(100);
    expect(current._log.slice(-3)).toEqual(['line 150', 'one', 'two']);
    open('shown');
    const ended = await app.untilStatus(owner, run.id, 'COMPLETED');
    expect(ended.orchrunsteps[1]).toMatchObject({ _progress: 100, _statusmsg: 'Ten of ten.', _result: 'shown' });
    expect(ended.orchrunsteps[1]._log.at(-1)).toBe('the last line');
  });

  it('keeps what it reported before it failed, and reveals nothing else', async () => {
    const run = await reporting('fails');
    open('fails');
    const ended = await app.untilStatus(owner, run.id, 'ERROR');
    expect(ended).toMatchObject({ _progress: 66, _statusmsg: 'The step failed.' });
    expect(ended.orchrunsteps[1]).toMatchObject({ _statusmsg: 'The step failed.', _endedat: expect.any(String) });
    expect(ended.orchrunsteps[1]._log.at(-1)).toBe('the last line');
    expect(JSON.stringify(ended)).not.toContain('secret');
  });

  it('has an end when its run is cancelled', async () => {
    const run = await reporting('cancelled');
    await app.api.delete(`${RUNS}/${run.id}?nsfilter=tower_1`).set(owner).expect(204);
    const { orchrunsteps } = await app.getRun(owner, run.id);
    expect(orchrunsteps[1]).toMatchObject({ _status: 'CANCELLED', _endedat: expect.any(String) });
    expect(orchrunsteps[2]).not.toHaveProperty('_endedat');
  });

  it('has a log and results within limits, and notes what is left out', async () => {
    const large = step('repeat', { text: 'ä', times: 40_000 });
    const run = await instant(step('flood', {}), large, step('nest', { depth: 65 }), step('nest', { depth: 64 }));
    expect(run._status).toBe('COMPLETED');
    const [flood, repeat, deep, nested] = run.orchrunsteps;
    expect(flood).toMatchObject({ _status: 'COMPLETED', _result: null });
    // Its 10,000 reports were combined into few writes.
    expect((await app.runs.findOne<{ _revision: number }>({ _id: run.id }))!._revision).toBeLessThan(50);
    expect(Buffer.byteLength(flood._log.join(''))).toBeLessThanOrEqual(16 * 1024);
    expect(flood._log.at(-1)).toBe(`${'ä'.repeat(999)}…`);
    expect(repeat).toMatchObject({ _status: 'COMPLETED', _result: null });
    expect(repeat._statusmsg).toBe('The result is larger than 64 KiB and was left out.');
    expect(deep).toMatchObject({ _result: null });
    expect(deep._statusmsg).toBe('The result is nested deeper than 64 levels and was left out.');
    expect(nested).toMatchObject({ _statusmsg: '', _result: JSON.parse('['.repeat(64) + ']'.repeat(64)) });
    expect(run._result).toEqual(nested._result);
  });

  it('has no result when those before it have a mebibyte', async () => {
    const run = await instant(...Array.from({ length: 18 }, () => step('repeat', { text: 'x', times: 64_000 })));
    const kept = run.orchrunsteps.filter(({ _result }: Params) => _result !== null);
    expect(kept).toHaveLength(16);
    expect(run.orchrunsteps[17]._statusmsg).toBe(
      'The results of the run are larger than 1 MiB, so this one was left out.',
    );
  });

  it('is in lists without its result and its log', async () => {
    const run = await instant(step('give', { value: 'listed' }));
    const { body } = await app.api.get(`${RUNS}?nsfilter=tower_1&_orchid=${run._orchid}`).set(owner).expect(200);
    expect(body._list[0]).toMatchObject({ _result: 'listed', _progress: 100 });
    const [listed] = body._list[0].orchrunsteps;
    expect(listed).toMatchObject({ _status: 'COMPLETED', _endedat: expect.any(String) });
    for (const left of ['_result', '_log', '_resulttext']) expect(listed).not.toHaveProperty(left);
  });
});

const INTERRUPTED = 'The step was interrupted and may not run again; retry the run.';

const calls: string[] = [];
/** Steps that wait, by their keys; calling one ends it. */
const waiting = new Map<string, () => void>();

/** At its first call with a key it waits, and ignores the signal. */
const run: TestComponent['run'] = async (params) => {
  const { key } = params as { key: string };
  calls.push(key);
  if (callsOf(key) > 1) return 'second time';
  await new Promise<void>((resolve) => waiting.set(key, resolve));
  return 'first time';
};
const callsOf = (key: string) => calls.filter((call) => call === key).length;

/** What becomes of a step when its process ends. */
describe('a step that was cut', () => {
  let app: TestApp;
  let owner: { authorization: string };
  const start = async (key: string, _orchcomp: string) => {
    const tasks = [
      { _orchcomp: 'wait', _sequenceno: 1, _actualparams: { ms: 0 } },
      { _orchcomp, _sequenceno: 2, _actualparams: { key } },
    ];
    return app.run(owner, (await app.create(owner, tasks)).id);
  };
  const hasBegun = (key: string) => eventually(() => expect(waiting.has(key)).toBe(true), { timeoutMs: 20_000 });

  beforeAll(async () => {
    app = await startApp({
      components: [
        { name: 'repeatable', mayRunAgain: true, run },
        { name: 'once', mayRunAgain: false, run },
      ],
    });
    owner = await app.as('olga');
    await app.grants.allow('olga', 'tower_1', '*:*:*', ['*']);
  });
  afterAll(() => app.stop());

  it('runs again if its component allows it', async () => {
    const { id } = await start('again', 'repeatable');
    const first = app.processRuns();
    await hasBegun('again');
    await app.lose(id);
    await app.processRuns();
    expect(await app.getRun(owner, id)).toMatchObject({ _status: 'COMPLETED', _result: 'second time' });
    expect(callsOf('again')).toBe(2);
    waiting.get('again')!();
    await first;
    // What the first process wrote after that had no effect.
    expect(await app.getRun(owner, id)).toMatchObject({ _status: 'COMPLETED', _result: 'second time' });
  });

  it('ends its run as ERROR if its component does not', async () => {
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

  it('is left to its process while that is alive, if it may not run again', async () => {
    const { id } = await start('alive', 'once');
    const first = app.processRuns();
    await hasBegun('alive');
    expect(await app.processRuns()).toBe(0);
    waiting.get('alive')!();
    await first;
    expect(await app.getRun(owner, id)).toMatchObject({ _status: 'COMPLETED', _result: 'first time' });
    expect(callsOf('alive')).toBe(1);
  });

  it('ends its run as ERROR if the end cannot be stored', async () => {
    const { id } = await start('unstorable', 'once');
    const claimed = (await app.deps.runStore.claimQueued(1))[0]!;
    await app.deps.runStore.end(claimed, { _status: 'COMPLETED', done: 2, steps: {}, _result: { _bsontype: 'Long' } });
    const _statusmsg = 'The result of the run cannot be stored.';
    expect(await app.getRun(owner, id)).toMatchObject({ _status: 'ERROR', _statusmsg });
  });

  it('does not end its run as ERROR if the database refuses for another reason', async () => {
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

  it('has more time than others before its run ends, since its process may be cut off from the database', async () => {
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

  it('has no effect on the steps after one that may not run again', async () => {
    const tasks = [
      { _orchcomp: 'once', _sequenceno: 1, _actualparams: { key: 'before' } },
      { _orchcomp: 'repeatable', _sequenceno: 2, _actualparams: { key: 'after' } },
    ];
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

  it('counts as cut when its worker stops', async () => {
    // Enough for its last writes.
    const worker = await app.startWorker({ SHUTDOWN_GRACE_MS: '5200' });
    const { id } = await start('stopped', 'once');
    await hasBegun('stopped');
    await worker.stop();
    const ended = await app.untilStatus(owner, id, 'ERROR');
    expect(ended).toMatchObject({ _statusmsg: INTERRUPTED });
    expect(callsOf('stopped')).toBe(1);
  });

  it('was not cut when it had not begun', async () => {
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
