import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@dtplatform/testing';
import { RUNS, startApp, step } from './start-app.js';
import type { TestComponent } from './start-app.js';

type Params = Record<string, unknown>;

/** Steps that wait until the test lets them continue, by key. */
const gates = new Map<string, () => void>();
const open = (key: string) => gates.get(key)!();

const of = (params: unknown) => params as { value: unknown; text: string; times: number; depth: number };
const components: TestComponent[] = [
  { name: 'give', run: async (params) => of(params).value },
  { name: 'repeat', run: async (params) => of(params).text.repeat(of(params).times) },
  { name: 'nest', run: async (params) => JSON.parse('['.repeat(of(params).depth) + ']'.repeat(of(params).depth)) },
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

const app = await startApp({ components });
await app.startWorker();
const { owner } = app;
afterAll(() => app.stop());

describe('the state of a step', () => {
  const numbered = (tasks: object[]) => tasks.map((task, index) => ({ ...task, _sequenceno: index + 1 }));
  const instant = (...tasks: object[]) => app.runAtOnce(...numbered(tasks));
  const reporting = async (key: string) => {
    const tasks = [step('give', { value: 1 }), step('report', { key }), step('give', { value: 3 })];
    const run = await app.run(owner, (await app.create(owner, numbered(tasks))).id);
    await eventually(() => expect(gates.has(key)).toBe(true));
    return run;
  };

  it('has its own result and times, in order', async () => {
    const values = [{ 'a.b': [1], $c: null }, undefined, 'x'];
    const run = await instant(...values.map((value) => step('give', { value })));
    expect(run).toMatchObject({ _status: 'COMPLETED', _progress: 100, _statusmsg: '', _result: 'x' });
    expect(run.orchrunsteps.map(({ _result }: Params) => _result)).toEqual([{ 'a.b': [1], $c: null }, null, 'x']);
    const times = run.orchrunsteps.flatMap(({ _startedat, _endedat }: Params) => [_startedat, _endedat]);
    for (const time of times) expect(time).toMatch(/^\d{13}$/);
    expect(times).toEqual(times.toSorted());
    expect(await app.getRun(owner, run.id)).toEqual(run);
  });

  it('shows progress while it works, with the percentage and message of the run', async () => {
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

  it('keeps its reports before a failure, and reveals nothing else', async () => {
    const run = await reporting('fails');
    open('fails');
    const ended = await app.untilStatus(owner, run.id, 'ERROR');
    expect(ended).toMatchObject({ _progress: 66, _statusmsg: 'The step failed.' });
    expect(ended.orchrunsteps[1]).toMatchObject({ _statusmsg: 'The step failed.', _endedat: expect.any(String) });
    expect(ended.orchrunsteps[1]._log.at(-1)).toBe('the last line');
    expect(JSON.stringify(ended)).not.toContain('secret');
  });

  it('has an end time when its run is cancelled', async () => {
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

  it('has no result when earlier ones use up a mebibyte', async () => {
    const run = await instant(...Array.from({ length: 18 }, () => step('repeat', { text: 'x', times: 64_000 })));
    const kept = run.orchrunsteps.filter(({ _result }: Params) => _result !== null);
    expect(kept).toHaveLength(16);
    expect(run.orchrunsteps[17]._statusmsg).toBe('The results of the run exceed 1 MiB, so this one was left out.');
  });
});
