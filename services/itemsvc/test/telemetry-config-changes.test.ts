import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTasks } from '@dtplatform/queue';
import { eventually } from '@dtplatform/testing';
import { NS, OTHER } from './item-client.js';
import { startApp } from './start-app.js';
import type { TestApp } from './start-app.js';
import { configDraft, CONFIGS, telemetryClient } from './telemetry-client.js';

describe('changes of telemetry configurations', () => {
  let app: TestApp;
  let owner: { authorization: string };
  let worker: { stop: () => Promise<void> };
  const { send, outcome, createConfig } = telemetryClient(() => ({ app, owner }));
  const put = (id: string, body: object, query: object = { nsfilter: NS }) =>
    send('put', `${CONFIGS}/${id}`, query).send(body);
  const get = async (id: string) => (await send('get', `${CONFIGS}/${id}`).expect(200)).body;
  const names = async (configId: string) =>
    (await app.mongo.db.collection('telemetry_config_names').find({ configId }).toArray())
      .map(({ _id }) => String(_id))
      .sort();

  beforeAll(async () => {
    app = await startApp();
    owner = await app.caller('olga', NS);
    await app.caller('olga', OTHER);
    worker = await app.startWorker();
  });
  afterAll(() => app.stop());

  it('are made by a task; fields that are not sent stay, and the update log grows', async () => {
    const config = await createConfig();
    const { status, body } = await outcome(put(config._id, { _name: 'New', _shortName: config._shortName }));
    expect(status).toBe(200);
    const changed = await get(config._id);
    expect(changed).toEqual({
      ...config,
      _name: 'New',
      _updateLogs: [{ _updatedBy: 'olga', _updatedAt: expect.any(Number) }],
      _metadata: { ...config._metadata, _updatedAt: expect.any(Number) },
    });
    const { _updateLogs, ...listed } = changed;
    expect(body).toEqual(listed);
    const _sources = [{ _connector: 'plant', _channel: 'floor/+/temperature' }];
    const _configData = { ...config._configData, _sources };
    await outcome(put(config._id, { _name: 'New', _shortName: config._shortName, _configData }));
    expect(await get(config._id)).toMatchObject({ _configData, _updateLogs: [{}, {}] });
  });

  it.each<[string, object]>([
    ['_name', { _name: undefined }],
    ['_shortName', { _shortName: undefined }],
    ['_name', { _name: 'x'.repeat(101) }],
    ['_shortName', { _shortName: 'x'.repeat(23) }],
    ['_userType', { _userType: 'x'.repeat(101) }],
    ['_namespaces', { _namespaces: [] }],
    ['_configData', { _configData: 'none' }],
    ['_configData._bindings', { _configData: { _normalizationScript: { _userType: 'a' } } }],
    ...['a#', 'a/#/b', 'a+/b', '', 'a\0'].map((_channel): [string, object] => [
      '_configData._sources.0._channel',
      { _configData: { ...configDraft()._configData, _sources: [{ _connector: 'plant', _channel }] } },
    ]),
  ])('need a valid %s', async (field, more) => {
    const config = await createConfig();
    const response = await put(config._id, { _name: 'n', _shortName: config._shortName, ...more }).expect(400);
    expect(response.body.errors[0].location).toBe(`body.${field}`);
  });

  it('keep short names unique, also in namespaces that a configuration enters', async () => {
    const taken = await createConfig({ _namespaces: [NS, OTHER] });
    const here = await createConfig();
    const rejected = await put(here._id, { _name: 'n', _shortName: taken._shortName }).expect(400);
    expect(rejected.body.code).toBe('SHORT_NAME_TAKEN');
    const there = await createConfig({ _shortName: 'entering' });
    await outcome(
      send('post', CONFIGS, { nsfilter: OTHER }).send(configDraft({ _shortName: 'entering', _namespaces: [OTHER] })),
    );
    await put(there._id, { _name: 'n', _shortName: 'entering', _namespaces: [NS, OTHER] }).expect(400);
    // The former name is free again, the new ones are not.
    await outcome(put(here._id, { _name: 'n', _shortName: 'renamed', _namespaces: [NS, OTHER] }));
    expect(await names(here._id)).toEqual([`${OTHER}/renamed`, `${NS}/renamed`].sort());
    expect((await createConfig({ _shortName: here._shortName }))._shortName).toBe(here._shortName);
    await send('post', CONFIGS)
      .send(configDraft({ _shortName: 'renamed' }))
      .expect(400);
  });

  it('take a name once when several ask for it at the same time', async () => {
    const configs = await Promise.all(Array.from({ length: 4 }, () => createConfig()));
    const responses = await Promise.all(configs.map(({ _id }) => put(_id, { _name: 'n', _shortName: 'wanted' })));
    expect(responses.map(({ status }) => status).sort()).toEqual([202, 400, 400, 400]);
  });

  it('need the revision of If-Match, at once and when they are made', async () => {
    const config = await createConfig();
    const body = { _name: 'first', _shortName: config._shortName };
    await put(config._id, body).set('if-match', '"7"').expect(412);
    await send('delete', `${CONFIGS}/${config._id}`).set('if-match', '"7"').expect(412);
    const all = [1, 2, 3].map((n) => outcome(put(config._id, { ...body, _name: `n${n}` }).set('if-match', '"0"')));
    const statuses = (await Promise.allSettled(all)).map((one) =>
      one.status === 'fulfilled' ? one.value.status : 412,
    );
    expect(statuses.sort()).toEqual([200, 412, 412]);
    expect((await send('get', `${CONFIGS}/${config._id}`)).headers.etag).toBe('"1"');
    expect((await outcome(put(config._id, body).set('if-match', '"1"'))).status).toBe(200);
  });

  it('are refused to callers without the right, and outside the namespaces', async () => {
    const config = await createConfig();
    const body = { _name: 'n', _shortName: config._shortName };
    const reader = await app.caller('rita', NS, ['READ'], config._irn);
    const stranger = await app.caller('sam', OTHER);
    const as = (by: { authorization: string }, method: 'put' | 'delete', nsfilter = NS) =>
      send(method, `${CONFIGS}/${config._id}`, { nsfilter }, by).send(body);
    for (const method of ['put', 'delete'] as const) {
      await as(reader, method).expect(403);
      await as(stranger, method).expect(404);
      await as(stranger, method, OTHER).expect(404);
    }
    await put('6b01e9fb590ff35d0952a9ce', body).expect(404);
    await put(config._id, { ...body, _namespaces: [OTHER] }).expect(400);
    // To enter a namespace needs CREATE there, to leave one DELETE.
    const editor = await app.caller('edda', NS, ['READ', 'EDIT'], config._irn);
    await send('put', `${CONFIGS}/${config._id}`, { nsfilter: NS }, editor)
      .send({ ...body, _namespaces: [NS, OTHER] })
      .expect(403);
    await send('put', `${CONFIGS}/${config._id}`, {}).send(body).expect(400);
  });

  it('remove a configuration and free its name; nsfilter is optional', async () => {
    const config = await createConfig({ _namespaces: [NS, OTHER] });
    const partly = await app.caller('paul', OTHER, ['READ', 'DELETE'], config._irn);
    await send('delete', `${CONFIGS}/${config._id}`, {}, partly).expect(403);
    expect(await outcome(send('delete', `${CONFIGS}/${config._id}`, {}))).toEqual({ status: 204, body: null });
    await send('get', `${CONFIGS}/${config._id}`).expect(404);
    await send('delete', `${CONFIGS}/${config._id}`, {}).expect(404);
    expect(await names(config._id)).toEqual([]);
    await createConfig({ _shortName: config._shortName });
  });

  it('are made in the order in which they were accepted, each once, whichever task runs first', async () => {
    const config = await createConfig({ _shortName: 'ordered' });
    await worker.stop();
    const accepted: string[] = [];
    for (const [n, change] of [{ _description: 'kept' }, { _userType: 'kept' }, {}].entries()) {
      accepted.push(
        (await put(config._id, { _name: `n${n}`, _shortName: `ordered${n}`, ...change }).expect(202)).headers.location!,
      );
    }
    const removal = (await send('delete', `${CONFIGS}/${config._id}`).set('if-match', '"0"').expect(202)).headers
      .location!;
    const { mongo, log } = app.deps;
    const { createTelemetryConfigWriter } = await import('../src/telemetryconfigs/telemetry-config-writer.store.js');
    const { changeTelemetryConfig } = await import('../src/telemetryconfigs/telemetry-configs.job.js');
    const tasks = createTasks(mongo);
    const run = changeTelemetryConfig(tasks, createTelemetryConfigWriter(mongo, tasks));
    const job = { attempt: 1, isFirstStart: false, lastAttempt: false, signal: new AbortController().signal, log };
    const ids = [...accepted, removal].map((location) => location.split('/').at(-1)!);
    await Promise.all([ids[3]!, ids[1]!, ids[3]!].map((taskId) => run({ taskId }, { id: taskId, ...job })));
    expect(await get(config._id)).toMatchObject({
      _name: 'n2',
      _shortName: 'ordered2',
      _description: 'kept',
      _userType: 'kept',
    });
    expect((await get(config._id))._updateLogs).toHaveLength(3);
    expect(await Promise.all(ids.map(async (id) => (await tasks.get(id))?._status))).toEqual([
      ...['COMPLETED', 'COMPLETED', 'COMPLETED', 'ERROR'],
    ]);
    expect(await names(config._id)).toEqual([`${NS}/ordered2`]);
    worker = await app.startWorker();
  });

  it('wait in a limited number', async () => {
    const config = await createConfig();
    await worker.stop();
    const body = { _name: 'n', _shortName: config._shortName };
    for (let n = 0; n < 10; n++) await put(config._id, body).expect(202);
    expect((await put(config._id, body).expect(429)).headers['retry-after']).toBe('1');
    worker = await app.startWorker();
    await eventually(async () => expect((await get(config._id))._updateLogs).toHaveLength(10));
  });
});
