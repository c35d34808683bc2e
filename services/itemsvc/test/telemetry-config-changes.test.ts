import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createTasks } from '@dtplatform/queue';
import { eventually } from '@dtplatform/testing';
import { createTelemetryConfigWriter } from '../src/telemetryconfigs/telemetry-config-writer.store.js';
import { changeTelemetryConfig } from '../src/telemetryconfigs/telemetry-configs.job.js';
import { itemClient, UNKNOWN } from './item-client.js';
import type { Shown } from './item-client.js';
import { NS, openApp, OTHER } from './start-app.js';
import { configDraft, CONFIGS, taskIdIn, telemetryClient } from './telemetry-client.js';

interface Config {
  _id: string;
  _shortName: string;
  _irn: string;
}

const here = await openApp(NS, OTHER);
const { app, owner } = here;
const { send, accepted, outcome, createConfig } = telemetryClient(here);
let worker = await app.startWorker();

const put = ({ _id, _shortName }: Config, change: object = {}, by = owner) =>
  send('put', `${CONFIGS}/${_id}`, { nsfilter: NS }, by).send({ _name: 'n', _shortName, ...change });
const remove = ({ _id }: Config, query: object = { nsfilter: NS }) => send('delete', `${CONFIGS}/${_id}`, query);
const get = async ({ _id }: Config) => (await send('get', `${CONFIGS}/${_id}`).expect(200)).body;
const names = async ({ _id: configId }: Config) =>
  (await app.stored('telemetry_config_names').find({ configId }).toArray()).map(({ _id }) => _id).sort();

describe('a change of a telemetry configuration', () => {
  it('replaces the fields that are sent, and is logged', async () => {
    const config = await createConfig();
    const { status, body } = await outcome(put(config, { _name: 'New' }));
    expect(status).toBe(200);
    const changed = await get(config);
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
    await outcome(put(config, { _configData }));
    expect(await get(config)).toMatchObject({ _configData, _updateLogs: [{}, {}] });
  });

  it.each(['a#', 'a/#/b', 'a+/b', '', 'a\0'])('is rejected for the topic filter %j', async (_channel) => {
    const config = await createConfig();
    const _configData = { ...config._configData, _sources: [{ _connector: 'plant', _channel }] };
    const { body } = await put(config, { _configData }).expect(400);
    expect(body.errors[0].location).toBe('body._configData._sources.0._channel');
  });

  it('is rejected without a namespace, or outside the one of the call', async () => {
    const config = await createConfig();
    for (const _namespaces of [[], [OTHER]]) await put(config, { _namespaces }).expect(400);
    await put({ ...config, _id: UNKNOWN }).expect(404);
  });

  it('keeps short names unique, also in a namespace that the configuration enters', async () => {
    const taken = await createConfig({ _namespaces: [NS, OTHER] });
    const config = await createConfig();
    const rejected = await put(config, { _shortName: taken._shortName }).expect(400);
    expect(rejected.body.code).toBe('SHORT_NAME_TAKEN');
    const entering = await createConfig({ _shortName: 'entering' });
    const elsewhere = configDraft({ _shortName: 'entering', _namespaces: [OTHER] });
    await outcome(send('post', CONFIGS, { nsfilter: OTHER }).send(elsewhere));
    await put(entering, { _namespaces: [NS, OTHER] }).expect(400);
    // The old name is free again, the new ones are not.
    await outcome(put(config, { _shortName: 'renamed', _namespaces: [NS, OTHER] }));
    expect(await names(config)).toEqual([`${OTHER}/renamed`, `${NS}/renamed`].sort());
    expect((await createConfig({ _shortName: config._shortName }))._shortName).toBe(config._shortName);
    const draft = configDraft({ _shortName: 'renamed' });
    await send('post', CONFIGS).send(draft).expect(400);
  });

  it('requires the revision of If-Match when it is accepted and when it is applied', async () => {
    const config = await createConfig();
    await put(config).set('if-match', '"7"').expect(412);
    await remove(config).set('if-match', '"7"').expect(412);
    const all = [1, 2, 3].map((n) => outcome(put(config, { _name: `n${n}` }).set('if-match', '"0"')));
    const statuses = (await Promise.allSettled(all)).map((one) =>
      one.status === 'fulfilled' ? one.value.status : 412,
    );
    expect(statuses.sort()).toEqual([200, 412, 412]);
    expect((await send('get', `${CONFIGS}/${config._id}`)).headers.etag).toBe('"1"');
    expect((await outcome(put(config).set('if-match', '"1"'))).status).toBe(200);
  });

  it('deletes the configuration and frees its name', async () => {
    const config = await createConfig({ _namespaces: [NS, OTHER] });
    expect(await outcome(remove(config, {}))).toEqual({ status: 204, body: null });
    await send('get', `${CONFIGS}/${config._id}`).expect(404);
    await remove(config, {}).expect(404);
    expect(await names(config)).toEqual([]);
    await createConfig({ _shortName: config._shortName });
  });

  describe('without a worker', () => {
    let config: Config;
    beforeEach(async () => {
      config = await createConfig();
      await worker.stop();
    });
    afterEach(async () => {
      worker = await app.startWorker();
    });

    it('is applied once and in order of acceptance, whichever task runs first', async () => {
      const locations: string[] = [];
      for (const [n, change] of [{ _description: 'kept' }, { _userType: 'kept' }, {}].entries())
        locations.push(await accepted(put(config, { _name: `n${n}`, _shortName: `ordered${n}`, ...change })));
      locations.push(await accepted(remove(config).set('if-match', '"0"')));
      const { mongo, log } = app.deps;
      const tasks = createTasks(mongo);
      const run = changeTelemetryConfig(tasks, createTelemetryConfigWriter(mongo, tasks));
      const job = { attempt: 1, isFirstStart: false, lastAttempt: false, signal: new AbortController().signal, log };
      const ids = locations.map(taskIdIn);
      await Promise.all([ids[3]!, ids[1]!, ids[3]!].map((taskId) => run({ taskId }, { id: taskId, ...job })));
      const changed = await get(config);
      const kept = { _description: 'kept', _userType: 'kept' };
      expect(changed).toMatchObject({ _name: 'n2', _shortName: 'ordered2', ...kept });
      expect(changed._updateLogs).toHaveLength(3);
      const statuses = await Promise.all(ids.map(async (id) => (await tasks.get(id))?._status));
      expect(statuses).toEqual(['COMPLETED', 'COMPLETED', 'COMPLETED', 'ERROR']);
      expect(await names(config)).toEqual([`${NS}/ordered2`]);
    });

    it('is rejected with a 429 while ten wait', async () => {
      for (let n = 0; n < 10; n++) await put(config).expect(202);
      expect((await put(config).expect(429)).headers['retry-after']).toBe('1');
      worker = await app.startWorker();
      await eventually(async () => expect((await get(config))._updateLogs).toHaveLength(10));
      await worker.stop();
    });
  });
});

describe('a telemetry collection that a configuration binds', () => {
  const items = itemClient(here);
  let authors = 0;
  /** A caller with all permissions on configurations, and some on items. */
  const author = async (actions: ('READ' | 'CREATE')[], irn: string) => {
    const id = `author${(authors += 1)}`;
    for (const namespace of [NS, OTHER]) await app.caller(id, namespace, ['*'], 'itemsvc:telemetryconfig:*');
    return app.caller(id, NS, actions, irn);
  };
  const bindingTo = (...ids: string[]) => ({
    _configData: {
      _bindings: ids.map((_userItemId) => ({ collectionDesc: { _userItemId }, query: { deviceType: 'thermo' } })),
      _normalizationScript: { _userType: 'normalize' },
    },
  });
  const post = (by: { authorization: string }, ...ids: string[]) =>
    send('post', CONFIGS, { nsfilter: NS }, by).send(configDraft(bindingTo(...ids)));
  const collection = (): Promise<Shown> => items.createOne({ _itemClass: 'NamedTelemetryCollection' });

  it('requires CREATE on all of its related items', async () => {
    const { _userItemId, _irn } = await collection();
    await post(await author(['READ'], '*:*:*'), _userItemId).expect(403);
    await post(await author(['CREATE'], `itemsvc:nameduseritem:${UNKNOWN}`), _userItemId).expect(403);
    await post(await author(['READ', 'CREATE'], _irn), _userItemId).expect(202);
  });

  it('may be missing', async () => {
    await post(await author(['READ'], '*:*:*'), 'missing_1').expect(202);
  });

  it('requires CREATE when a change adds it', async () => {
    const { _userItemId } = await collection();
    const config = await createConfig(bindingTo('missing_2'));
    const editor = await author(['READ'], '*:*:*');
    await put(config, bindingTo('missing_2', _userItemId), editor).expect(403);
    await put(config, bindingTo('missing_2'), editor).expect(202);
    await put(config, bindingTo('missing_2', _userItemId)).expect(202);
  });

  it('requires CREATE when a change adds its namespace', async () => {
    const draft = { _itemClass: 'NamedTelemetryCollection', _namespaces: [OTHER] };
    const { _userItemId } = await itemClient(here, OTHER).createOne(draft);
    const config = await createConfig(bindingTo(_userItemId));
    const change = { _namespaces: [NS, OTHER] };
    await put(config, change, await author(['READ'], '*:*:*')).expect(403);
    await put(config, change).expect(202);
  });
});
