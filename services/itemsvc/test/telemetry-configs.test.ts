import { createHmac } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { createTasks } from '@dtplatform/queue';
import { createTelemetryConfigWriter } from '../src/telemetryconfigs/telemetry-config-writer.store.js';
import { createTelemetryConfig } from '../src/telemetryconfigs/telemetry-configs.job.js';
import { telemetryJobs } from '../src/telemetryconfigs/telemetryconfigs.module.js';
import { NS, openApp, OTHER } from './start-app.js';
import { configDraft, CONFIGS, taskIdIn, telemetryClient } from './telemetry-client.js';

const here = await openApp(NS, OTHER);
const { app } = here;
const { mongo, log } = app.deps;
const { send, accepted, ended, createConfig } = telemetryClient(here);
const tasks = createTasks(mongo);
const stored = app.stored('telemetry_configs');

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

  it.each<[string, object]>([
    ['_configData', { _configData: undefined }],
    ['_configData._bindings', { _configData: { _normalizationScript: { _userType: 'a' } } }],
    ['_configData._normalizationScript', { _configData: { _bindings: [] } }],
    [
      '_configData._bindings.0.query',
      { _configData: { ...configDraft()._configData, _bindings: [{ collectionDesc: { _userItemId: 'a' } }] } },
    ],
    ['_shortName', { _shortName: 'x'.repeat(23) }],
    ['_name', { _name: 'x'.repeat(101) }],
  ])('is rejected for an invalid %s', async (field, more) => {
    expect((await post(more).expect(400)).body.errors[0].location).toBe(`body.${field}`);
  });

  it('is rejected unless nsfilter is one of its namespaces', async () => {
    expect((await post({}, OTHER).expect(400)).body.code).toBe('NAMESPACE_NOT_INCLUDED');
  });
});

describe('a telemetry configuration that a worker creates', () => {
  beforeAll(() => app.startWorker());

  const create = createTelemetryConfig(tasks, createTelemetryConfigWriter(mongo, tasks));
  /** Delivers the message of a task. */
  const deliver = (taskId: string) => {
    const signal = new AbortController().signal;
    return create({ taskId }, { id: taskId, attempt: 1, isFirstStart: false, lastAttempt: false, signal, log });
  };

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
    const listOf = async (query: object, by: { authorization: string }) =>
      (await send('get', CONFIGS, query, by).expect(200)).body;
    expect(await listOf({ nsfilter: NS }, reader)).toMatchObject({ _total: 1, _list: [{ _id: config._id }] });
    const stranger = await app.caller('sam', OTHER);
    expect(await listOf({ nsfilter: NS }, stranger)).toMatchObject({ _total: 0, _list: [] });
    for (const { _namespaces } of (await listOf({}, stranger))._list) expect(_namespaces).toContain(OTHER);
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
    const change = (more: Record<string, string>, path = url.pathname) =>
      app.api.get(path).query({ expires, signature, ...more });
    await change({ expires: String(Number(expires) + 1) }).expect(404);
    await change({ signature: 'x'.repeat(43) }).expect(404);
    await change({ signature: '' }).expect(404);
    await change({}, url.pathname.replace(taskIdIn(location), taskIdIn(small))).expect(404);
    await change({ expires: 'soon' }).expect(400);
    await app.api.get(url.pathname).expect(400);
    // The secret that other services share signs no links.
    const ofSecret = createHmac('sha256', app.deps.config.SERVICE_CLIENT_SECRET)
      .update(`response of task ${taskIdIn(location)} until ${expires}`)
      .digest('base64url');
    expect(signature).not.toBe(ofSecret);
  });

  it('is created once if the message is delivered again after its end', async () => {
    const location = await accept({ _name: 'once' });
    const before = await completed(location);
    await Promise.all([deliver(taskIdIn(location)), deliver(taskIdIn(location))]);
    expect((await read(location)).body).toEqual(before);
    expect(await stored.countDocuments({ _name: 'once' })).toBe(1);
  });

  it('is created once by two concurrent workers', async () => {
    const config = { ...(await stored.findOne({})), _id: 'f'.repeat(24), _name: 'both' };
    const message = telemetryJobs.messages['telemetry-config.create'];
    // A task whose message no worker receives.
    const task = { message, namespaces: [NS], input: { config }, createdById: 'olga', reqBodySize: 1 };
    const taskId = await mongo.transaction((session) => tasks.create(session, task));
    await Promise.all([deliver(taskId), deliver(taskId)]);
    expect(await stored.countDocuments({ _name: 'both' })).toBe(1);
    expect((await tasks.get(taskId))?._status).toBe('COMPLETED');
  });
});
