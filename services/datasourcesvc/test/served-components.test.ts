import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { serveComponent } from '@dtplatform/component-worker';
import type { CallContext, ServedComponent, ServeOptions } from '@dtplatform/component-worker';
import { silentLogger } from '@dtplatform/logging';
import { deleteKeys, eventually } from '@dtplatform/testing';
import { serveCountItems } from './count-items.js';
import { RUNS, startAppWithOthers, step } from './start-app.js';

const COMPONENTS = '/datasourcesvc/api/v1/components';
const CALLS = '/datasourcesvc/api/v1/componentcalls';
const WITHIN = { timeoutMs: 20_000 };

const app = await startAppWithOthers();
const { others, owner } = app;
const trusted = await app.as('their-client', 'trusted');
others.giveOwnToken(trusted.authorization.replace('Bearer ', ''));
await app.startWorker();

describe('a served component', () => {
  const stops: (() => Promise<unknown>)[] = [];
  const started: string[] = [];
  let context: CallContext;

  const options = (): ServeOptions => ({
    datasourcesvcUrl: app.url,
    tokenUrl: others.environment.TOKEN_URL,
    clientId: 'their-client',
    clientSecret: 'their-secret',
    redisUrl: app.env.REDIS_URL!,
    queuePrefix: app.queuePrefix,
    log: silentLogger(),
  });
  type Served = ServedComponent<unknown>;
  const serve = async (component: Partial<Served> & Pick<Served, 'name' | 'run'>) => {
    const complete = { description: 'Of a test.', mayRunAgain: true, params: z.object({}), ...component };
    const worker = await serveComponent(complete, options());
    stops.push(() => worker.stop(5_000));
  };
  const register = (name: string, more: object = {}) =>
    app.api
      .put(`${COMPONENTS}/${name}`)
      .set(trusted)
      .send({ description: 'Of a test.', mayRunAgain: true, parameters: { type: 'object' }, ...more });
  const start = async (_orchcomp: string, _actualparams: object = {}) => {
    const { id } = await app.create(owner, [step(_orchcomp, _actualparams)]);
    return (await app.run(owner, id)).id as string;
  };
  const calls = () => app.mongo.db.collection<{ _id: string; _runId: string }>('component_calls');
  const callOf = (runId: string) =>
    eventually(async () => {
      const call = await calls().findOne({ _runId: runId });
      expect(call).not.toBeNull();
      return call!;
    }, WITHIN);
  /** The call of a new run, claimed. */
  const startClaimed = async (name: string) => {
    const runId = await start(name);
    const { _id } = await callOf(runId);
    expect((await claim(_id).expect(200)).body.fence).toBe(1);
    return { runId, _id };
  };
  const claim = (id: string) => app.api.post(`${CALLS}/${id}/claim`).set(trusted);
  const report = (id: string, body: object) => app.api.put(`${CALLS}/${id}`).set(trusted).send(body);
  /** Simulates a worker that has not reported for a long time. */
  const abandon = (id: string, lateMs = 60_000) =>
    calls().updateOne({ _id: id }, { $set: { 'lease.until': new Date(Date.now() - lateMs) } });

  beforeAll(async () => {
    const counting = await serveCountItems(others.environment.ITEMSVC_URL, options());
    stops.push(() => counting.stop(5_000));
    await serve({
      name: 'hang',
      mayRunAgain: false,
      async run(_params, given) {
        context = given;
        started.push(given.callId);
        await delay(60_000, undefined, { signal: given.signal });
      },
    });
  });
  afterAll(async () => {
    for (const stop of stops) await stop();
    await app.stop();
  });

  describe('in the list of components', () => {
    it('follows the built-in ones, with the schema of its parameters', async () => {
      const { body } = await app.api.get(`${COMPONENTS}/count_items`).set(owner).expect(200);
      expect(body).toMatchObject({
        name: 'count_items',
        description: 'Counts the items of a user type.',
        mayRunAgain: true,
        parameters: { type: 'object', properties: { userType: { type: 'string', minLength: 1 } } },
      });
      const { _total, _list } = (await app.api.get(COMPONENTS).set(owner).expect(200)).body;
      const names = _list.map(({ name }: { name: string }) => name);
      const builtIn = names.slice(0, -2);
      expect(names).toEqual([...builtIn.toSorted(), 'count_items', 'hang']);
      const page = await app.api.get(`${COMPONENTS}?_offset=${_total - 3}&_pageSize=5`).set(owner);
      expect(page.body).toMatchObject({ _total, _list: _list.slice(-3) });
    });

    it('validates its parameters with that schema', async () => {
      const parameters = {
        type: 'object',
        properties: { n: { type: 'integer' }, code: { pattern: '^(a+)+$' }, in: { type: 'object', required: ['x'] } },
        required: ['n', 'code'],
        additionalProperties: false,
      };
      await register('typed', { parameters }).expect(200);
      const create = (_actualparams: object) => app.post({ _params: { tasks: [step('typed', _actualparams)] } });
      const at = 'body._params.tasks.0._actualparams';
      for (const [params, path, message] of [
        [{ n: 'one' }, 'n', 'must be integer'],
        [{ more: 1 }, 'more', 'is not allowed'],
        [{ in: {} }, 'in.x', 'is required'],
        [{ code: `${'a'.repeat(100_000)}!` }, 'code', 'must match pattern "^(a+)+$"'],
      ] as const) {
        const { body } = await create(params);
        expect({ path, errors: body.errors }).toEqual({ path, errors: [{ location: `${at}.${path}`, message }] });
      }
      const { id } = (await create({ code: 'aa' }).expect(200)).body;
      const { body } = await app.start(id).expect(400);
      expect(body.errors).toEqual([{ location: '_sequenceno 1._actualparams.n', message: 'is required' }]);
    });

    it('is registered and removed by trusted clients', async () => {
      await register('brief').expect(200);
      await app.api.delete(`${COMPONENTS}/brief`).set(trusted).expect(204);
      await app.api.delete(`${COMPONENTS}/brief`).set(trusted).expect(404);
      await app.api.get(`${COMPONENTS}/brief`).set(owner).expect(404);
      await register('Bad:name').expect(404);
    });

    it('cannot have the name of a built-in one, or an invalid description or schema', async () => {
      await register('wait').expect(400);
      for (const parameters of [
        { type: 'door' },
        { properties: { a: { $ref: 'https://example.com/a.json' } } },
        { properties: { a: { pattern: '(?=a)' } } },
        { type: 'object', required: 'a' },
        { description: 'x'.repeat(70_000) },
      ])
        await register('bad', { parameters }).expect(400);
      await register('bad', { description: '' }).expect(400);
    });
  });

  describe('in a run', () => {
    it("runs the step with the starter's permissions, and returns its result", async () => {
      others.answerWith((_call, res) => {
        res.writeHead(200, { 'content-type': 'application/json' }).end('{"_total":7}');
        return true;
      });
      const run = await app.untilStatus(owner, await start('count_items', { userType: 'door' }), 'COMPLETED');
      expect(run._result).toEqual({ count: 7 });
      expect(others.calls).toHaveLength(1);
      expect(others.calls[0]!.authorization).toMatch(/^Bearer token-\d+-of-olga$/);
      const { searchParams } = new URL(others.calls[0]!.url, 'http://items');
      expect(searchParams.get('nsfilter')).toBe('tower_1');
    });

    const reserved = /^The result of the step has a field with a reserved name: rows\[0\]\._bsontype\.$/;
    const changed = /^The result of the step has .*, which JSON does not support: rows\.$/;
    it.each<[string, unknown, RegExp]>([
      ['reserved', [{ _bsontype: 'ObjectId' }], reserved],
      ['of_nan', NaN, changed],
      ['of_set', new Set([1]), changed],
    ])('fails the step when its result cannot be stored as it is: %s', async (name, rows, message) => {
      await serve({ name, run: async () => ({ rows }) });
      expect((await app.untilStatus(owner, await start(name), 'ERROR'))._statusmsg).toMatch(message);
    });

    it('fails the step without the details of an error', async () => {
      await serve({ name: 'fail', run: () => Promise.reject(new Error('secret')) });
      expect((await app.untilStatus(owner, await start('fail'), 'ERROR'))._statusmsg).toBe('The step failed.');
    });

    it('is notified when the run is cancelled', async () => {
      const runId = await start('hang');
      const { _id } = await callOf(runId);
      await eventually(() => expect(started).toContain(_id), WITHIN);
      expect(context.signal.aborted).toBe(false);
      await app.api.delete(`${RUNS}/${runId}?nsfilter=tower_1`).set(owner).expect(204);
      await eventually(() => expect(context.signal.aborted).toBe(true), WITHIN);
    });
  });

  describe('with a custom worker', () => {
    beforeAll(async () => {
      await register('again').expect(200);
      await register('once', { mayRunAgain: false }).expect(200);
    });

    it('shows its reports, and accepts an outcome only from the holder of the call', async () => {
      const runId = await start('again', { a: 1 });
      const { _id } = await callOf(runId);
      const { body: call } = await claim(_id).expect(200);
      const starter = { id: 'olga', type: 'user' };
      expect(call).toEqual({ id: _id, params: { a: 1 }, namespace: 'tower_1', starter, fence: 1 });
      await claim(_id).expect(409);
      await report(_id, { fence: 2, outcome: { status: 'COMPLETED', result: 'forged' } }).expect(409);
      await report(_id, { fence: 1, progress: { percent: 101 } }).expect(400);
      await report(_id, { fence: 1, outcome: { status: 'COMPLETED', result: 'x'.repeat(300_000) } }).expect(400);
      // A heartbeat that is late, but not late enough for the run to give up on the worker.
      await abandon(_id, 2_000);
      await report(_id, { fence: 1 }).expect(204);
      await claim(_id).expect(409);
      await report(_id, { fence: 1, progress: { percent: 50 }, log: ['halfway'] }).expect(204);
      const $hostile = { $where: '1', 'a.b': [{ $gt: '' }] };
      await report(_id, { fence: 1, outcome: { status: 'COMPLETED', result: $hostile } }).expect(204);
      expect(await app.untilStatus(owner, runId, 'COMPLETED')).toMatchObject({ _result: $hostile });
      await report(_id, { fence: 1, outcome: { status: 'ERROR', message: 'late' } }).expect(409);
      await claim(_id).expect(409);
      await report(`${'0'.repeat(24)}-1`, { fence: 1 }).expect(404);
      await report('no-id', { fence: 1 }).expect(404);
    });

    it('loses the call with its heartbeat, and another worker runs it', async () => {
      const { runId, _id } = await startClaimed('again');
      await abandon(_id);
      await eventually(async () => expect((await claim(_id).expect(200)).body.fence).toBe(2), WITHIN);
      await report(_id, { fence: 1, outcome: { status: 'COMPLETED', result: 'of the first' } }).expect(409);
      await report(_id, { fence: 2, outcome: { status: 'COMPLETED', result: 'of the second' } }).expect(204);
      expect(await app.untilStatus(owner, runId, 'COMPLETED')).toMatchObject({ _result: 'of the second' });
    });

    it.each(['a heartbeat that stops', 'its word'])('fails a step that may not be repeated, by %s', async (way) => {
      const { runId, _id } = await startClaimed('once');
      if (way === 'its word') await report(_id, { fence: 1, outcome: { status: 'INTERRUPTED' } }).expect(204);
      else await abandon(_id);
      const _statusmsg = 'The process that was running the step ended, and the step must not run again.';
      expect(await app.untilStatus(owner, runId, 'ERROR')).toMatchObject({ orchrunsteps: [{ _statusmsg }] });
      await claim(_id).expect(409);
    });

    it('returns a call that it cannot end', async () => {
      const { runId, _id } = await startClaimed('again');
      await report(_id, { fence: 1, outcome: { status: 'INTERRUPTED' } }).expect(204);
      expect((await claim(_id).expect(200)).body.fence).toBe(2);
      await report(_id, { fence: 2, outcome: { status: 'ERROR', message: 'No such door.' } }).expect(204);
      expect((await app.untilStatus(owner, runId, 'ERROR'))._statusmsg).toBe('No such door.');
    });

    it('keeps the call when another process continues the run', async () => {
      const { runId, _id } = await startClaimed('once');
      await app.lose(runId);
      const second = app.processRuns();
      await report(_id, { fence: 1, outcome: { status: 'COMPLETED', result: 'kept' } }).expect(204);
      await second;
      expect(await app.getRun(owner, runId)).toMatchObject({ _status: 'COMPLETED', _result: 'kept' });
      expect(await calls().countDocuments({ _runId: runId })).toBe(1);
    });

    it('gets a call whose job was lost', async () => {
      const runId = await start('again');
      const { _id } = await callOf(runId);
      const { client } = app.deps.redis;
      await eventually(async () => expect(await client.keys(`{${app.queuePrefix}.*:${_id}`)).toHaveLength(1), WITHIN);
      await deleteKeys(client, `{${app.queuePrefix}.*`);
      await calls().updateOne({ _id }, { $set: { queuedAt: Date.now() - 120_000 } });
      let claimed = '';
      await serve({ name: 'again', run: async (_params, { callId }) => (claimed = callId) });
      await app.untilStatus(owner, runId, 'COMPLETED');
      expect(claimed).toBe(_id);
    });
  });
});
