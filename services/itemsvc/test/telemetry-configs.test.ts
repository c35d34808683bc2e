import { createHmac } from 'node:crypto';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createTasks } from '@dtplatform/queue';
import { eventually } from '@dtplatform/testing';
import { createTelemetryConfigWriter } from '../src/telemetryconfigs/telemetry-config-writer.store.js';
import { NewTelemetryConfig } from '../src/telemetryconfigs/telemetry-config.js';
import { changeTelemetryConfig, createTelemetryConfig } from '../src/telemetryconfigs/telemetry-configs.job.js';
import { telemetryJobs } from '../src/telemetryconfigs/telemetryconfigs.module.js';
import { itemClient, UNKNOWN } from './item-client.js';
import type { Shown } from './item-client.js';
import { NS, openApp, OTHER } from './start-app.js';
import { configDraft, CONFIGS, taskIdIn, telemetryClient } from './telemetry-client.js';

type Config = { _id: string; _shortName: string };

const here = await openApp(NS, OTHER);
const { app, owner } = here;
const { mongo, log } = app.deps;
const { send, accepted, ended, outcome, createConfig } = telemetryClient(here);
const tasks = createTasks(mongo);
const writer = createTelemetryConfigWriter(mongo, tasks);
const job = {
  attempt: 1,
  isFirstStart: false,
  lastAttempt: false,
  isDiscarded: false,
  signal: new AbortController().signal,
  log,
};
const stored = app.stored('telemetry_configs');
let worker: Awaited<ReturnType<typeof app.startWorker>>;

const post = (more: object, nsfilter = NS) => send('post', CONFIGS, { nsfilter }).send(configDraft(more));
const accept = (more: object = {}) => accepted(post(more));
const read = (path: string, query: object = {}) => send('get', path, query);
const completed = async (location: string) => {
  const task = await ended(location);
  expect(task._status).toBe('COMPLETED');
  return task;
};

const ofBytes = (size: number, _shortName = 'large') => {
  const body = configDraft({ _shortName });
  const script = { _userType: 'normalize', code: 'x'.repeat(size - JSON.stringify(body).length) };
  return { ...body, _configData: { ...body._configData, _normalizationScript: script } };
};

describe('an accepted telemetry configuration', () => {
  it('has a queued task, and does not exist yet', async () => {
    const location = await accept();
    expect(location).toMatch(/^\/itemsvc\/api\/v1\/telemetry_async_tasks\/[0-9a-f]{24}$/);
    const { body } = await read(location).expect(200);
    expect(body).toEqual({
      ...{ _id: taskIdIn(location), _status: 'QUEUED', _namespaces: [NS] },
      ...{ _reqBodySize: expect.any(Number), _batchCompleted: 0, _progress: 0, _timeTakenInSecs: 0 },
    });
    expect(body._reqBodySize).toBeGreaterThan(100);
    expect((await read(CONFIGS, { nsfilter: NS })).body._total).toBe(0);
  });

  it('reserves its short name in its namespaces', async () => {
    await accept({ _shortName: 'taken' });
    expect((await post({ _shortName: 'taken' }).expect(400)).body.code).toBe('SHORT_NAME_TAKEN');
    await post({ _shortName: 'taken', _namespaces: [OTHER] }, OTHER).expect(202);
    await post({ _shortName: 'taken', _namespaces: [OTHER, NS] }).expect(400);
  });

  it('gets a name that several request concurrently only once', async () => {
    const responses = await Promise.all(Array.from({ length: 5 }, () => post({ _shortName: 'race' })));
    expect(responses.map(({ status }) => status).sort()).toEqual([202, 400, 400, 400, 400]);
  });

  it('frees its name if its task fails', async () => {
    const location = await accept({ _shortName: 'failing' });
    await tasks.fail(taskIdIn(location), { status: 500, body: null });
    await post({ _shortName: 'failing' }).expect(202);
    await post({ _shortName: 'failing' }).expect(400);
  });

  it('is rejected if its response would be too large', async () => {
    // Numbers may be longer in the response than in the request.
    const numbers = `"_sources":[{"_connector":"plant","_channel":"#","ids":[${'1e20,'.repeat(100_000)}1]}]`;
    const growing = JSON.stringify(ofBytes(1_000)).replace('"_bindings"', `${numbers},"_bindings"`);
    const response = await send('post', CONFIGS).type('json').send(growing).expect(413);
    expect(response.body).toMatchObject({ code: 'PAYLOAD_TOO_LARGE' });
  });

  const { _configData } = configDraft();
  const dataWith = (more: object) => ({ _configData: { ..._configData, ...more } });
  it.each<[string, object]>([
    ['_configData._bindings', dataWith({ _bindings: undefined })],
    ['_configData._bindings.0.query', dataWith({ _bindings: [{ collectionDesc: { _userItemId: 'a' } }] })],
    ...['a#', 'a/#/b', 'a+/b', '', 'a\0'].map((_channel): [string, object] => {
      return ['_configData._sources.0._channel', dataWith({ _sources: [{ _connector: 'a', _channel }] })];
    }),
  ])('cannot have an invalid %s (%#)', (path, more) => {
    expect(NewTelemetryConfig.safeParse(configDraft(more)).error?.issues[0]?.path.join('.')).toBe(path);
  });

  it('is rejected unless nsfilter is one of its namespaces', async () => {
    expect((await post({}, OTHER).expect(400)).body.code).toBe('NAMESPACE_NOT_INCLUDED');
  });
});

describe('a telemetry configuration that a worker creates', () => {
  beforeAll(async () => {
    worker = await app.startWorker();
  });

  const create = createTelemetryConfig(tasks, writer);
  /** Delivers the message of a task. */
  const deliver = (taskId: string) => create({ taskId }, { id: taskId, ...job });

  it('is the response of its task', async () => {
    const draft = configDraft();
    const task = await completed(await accept(draft));
    const _headers = { 'Content-Type': 'application/json' };
    expect(task._response).toMatchObject({ _status: 201, externalStorage: false, _headers });
    const config = JSON.parse(task._response._body);
    expect(config).toEqual({
      ...draft,
      _id: expect.stringMatching(/^[0-9a-f]{24}$/),
      _uri: `/telemetryconfigs/${config._id}`,
      _irn: `itemsvc:telemetryconfig:${config._id}`,
      _updateLogs: [],
      _metadata: expect.objectContaining({ _createdById: 'olga', _createdAt: expect.any(Number) }),
    });
    expect((await read(`${CONFIGS}/${config._id}`, { nsfilter: NS }).expect(200)).body).toEqual(config);
    const { _list } = (await read(CONFIGS, { nsfilter: NS, _pageSize: 1000 }).expect(200)).body;
    const { _updateLogs, ...shown } = config;
    expect(_list).toContainEqual(shown);
  });

  it('is listed only for callers who may read it', async () => {
    const config = await createConfig();
    const reader = await app.caller('rita', NS, ['READ'], config._irn);
    const { body } = await send('get', CONFIGS, { nsfilter: NS }, reader).expect(200);
    expect(body).toMatchObject({ _total: 1, _list: [{ _id: config._id }] });
  });

  it('has a response above 1 MB at a signed URL', async () => {
    const small = await accept(ofBytes(900_000, 'small'));
    expect((await completed(small))._response).toMatchObject({ externalStorage: false, _status: 201 });
    const location = await accept(ofBytes(1_020_000));
    const { _response } = await completed(location);
    expect(_response).toMatchObject({ externalStorage: true, _status: 201, _statusMsg: 'Created' });
    const url = new URL(_response._body);
    expect(url.origin).toBe(app.deps.config.BASE_URL);
    const fetched = await app.api.get(url.pathname + url.search).expect(200);
    expect(fetched.body).toMatchObject({ _shortName: 'large', _namespaces: [NS] });
    expect(fetched.body._configData._normalizationScript.code.length).toBeGreaterThan(1_000_000);
    const alias = await read(location.replace('telemetry_async_tasks', 'asynctasks')).expect(200);
    expect(new URL(alias.body._response._body).pathname).toBe(url.pathname);

    const { expires, signature } = Object.fromEntries(url.searchParams);
    const change = (more: object, path = url.pathname) => app.api.get(path).query({ expires, signature, ...more });
    const forged = [{ expires: String(Number(expires) + 1) }, { signature: 'x'.repeat(43) }, { signature: '' }];
    for (const wrong of forged) await change(wrong).expect(404);
    await change({}, url.pathname.replace(taskIdIn(location), taskIdIn(small))).expect(404);
    await change({ expires: 'soon' }).expect(400);
    await app.api.get(url.pathname).expect(400);
    // The secret that other services share signs no links.
    const ofSecret = createHmac('sha256', app.deps.config.SERVICE_CLIENT_SECRET)
      .update(`response of task ${taskIdIn(location)} until ${expires}`)
      .digest('base64url');
    expect(signature).not.toBe(ofSecret);
  });

  it('is created once by two concurrent workers', async () => {
    const config = { ...(await stored.findOne({})), _id: 'e'.repeat(24), _name: 'both' };
    const message = telemetryJobs.messages['telemetry-config.create'];
    // A task whose message no worker receives.
    const task = { message, namespaces: [NS], input: { config }, createdById: 'olga', reqBodySize: 1 };
    const taskId = await mongo.transaction((session) => tasks.create(session, task));
    await Promise.all([deliver(taskId), deliver(taskId)]);
    expect(await stored.countDocuments({ _name: 'both' })).toBe(1);
    expect((await tasks.get(taskId))?._status).toBe('COMPLETED');
  });
});

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

  it('is rejected outside the namespace of the call', async () => {
    const config = await createConfig();
    await put(config, { _namespaces: [OTHER] }).expect(400);
  });

  it('keeps short names unique, also in a namespace that the configuration enters', async () => {
    const taken = await createConfig({ _namespaces: [NS, OTHER] });
    const config = await createConfig();
    const rejected = await put(config, { _shortName: taken._shortName }).expect(400);
    expect(rejected.body.code).toBe('SHORT_NAME_TAKEN');
    const entering = await createConfig({ _shortName: 'entering' });
    await outcome(post({ _shortName: 'entering', _namespaces: [OTHER] }, OTHER));
    await put(entering, { _namespaces: [NS, OTHER] }).expect(400);
    // The old name is free again, the new ones are not.
    await outcome(put(config, { _shortName: 'renamed', _namespaces: [NS, OTHER] }));
    expect(await names(config)).toEqual([`${OTHER}/renamed`, `${NS}/renamed`].sort());
    expect((await createConfig({ _shortName: config._shortName }))._shortName).toBe(config._shortName);
    await post({ _shortName: 'renamed' }).expect(400);
  });

  it('requires the revision of If-Match when it is accepted and when it is applied', async () => {
    const config = await createConfig();
    await put(config).set('if-match', '"7"').expect(412);
    await remove(config).set('if-match', '"7"').expect(412);
    const all = [1, 2, 3].map((n) => outcome(put(config, { _name: `n${n}` }).set('if-match', '"0"')));
    const results = await Promise.allSettled(all);
    const statuses = results.map((one) => (one.status === 'fulfilled' ? one.value.status : 412));
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
      const run = changeTelemetryConfig(tasks, writer);
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
  const bind = (by: { authorization: string }, ...ids: string[]) =>
    send('post', CONFIGS, { nsfilter: NS }, by).send(configDraft(bindingTo(...ids)));
  const collection = (): Promise<Shown> => items.createOne({ _itemClass: 'NamedTelemetryCollection' });

  it('requires CREATE on all of its related items, unless it is missing', async () => {
    const { _userItemId, _irn } = await collection();
    await bind(await author(['READ'], '*:*:*'), _userItemId).expect(403);
    await bind(await author(['CREATE'], `itemsvc:nameduseritem:${UNKNOWN}`), _userItemId).expect(403);
    await bind(await author(['READ', 'CREATE'], _irn), _userItemId).expect(202);
    await bind(await author(['READ'], '*:*:*'), 'missing_1').expect(202);
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
