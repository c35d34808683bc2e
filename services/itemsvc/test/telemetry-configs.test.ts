import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTasks } from '@dtplatform/queue';
import { eventually } from '@dtplatform/testing';
import { createTelemetryConfigWriter } from '../src/telemetryconfigs/telemetry-config-writer.store.js';
import { createTelemetryConfig } from '../src/telemetryconfigs/telemetry-configs.job.js';
import { telemetryJobs } from '../src/telemetryconfigs/telemetryconfigs.module.js';
import { NS, OTHER } from './item-client.js';
import { API, startApp } from './start-app.js';
import type { TestApp } from './start-app.js';
import { configDraft, CONFIGS } from './telemetry-client.js';

describe('telemetry configurations', () => {
  let app: TestApp;
  let owner: { authorization: string };

  const post = (body: object, nsfilter = NS, caller = owner) =>
    app.api.post(CONFIGS).query({ nsfilter }).set(caller).send(body);
  const accept = async (body: object) => (await post(body).expect(202)).headers.location!;
  const read = (path: string, query: object = {}, caller = owner) => app.api.get(path).query(query).set(caller);
  const completed = (location: string) =>
    eventually(async () => {
      const reply = await read(location).expect(200);
      expect(reply.body._status).toBe('COMPLETED');
      return reply.body;
    });

  const ofBytes = (size: number, _shortName = 'large') => {
    const body = configDraft({ _shortName });
    const script = { _userType: 'normalize', code: 'x'.repeat(size - JSON.stringify(body).length) };
    return { ...body, _configData: { ...body._configData, _normalizationScript: script } };
  };

  beforeAll(async () => {
    app = await startApp();
    owner = await app.caller('olga', NS);
  });
  afterAll(() => app.stop());

  describe('before a worker runs', () => {
    it('are accepted, and do not exist yet', async () => {
      const reply = await post(configDraft()).expect(202);
      expect(reply.headers.location).toMatch(/^\/itemsvc\/api\/v1\/telemetry_async_tasks\/[0-9a-f]{24}$/);
      const task = await read(reply.headers.location!).expect(200);
      expect(task.body).toEqual({
        _id: reply.headers.location!.split('/').at(-1),
        _reqBodySize: expect.any(Number),
        _batchCompleted: 0,
        _progress: 0,
        _status: 'QUEUED',
        _timeTakenInSecs: 0,
        _namespaces: [NS],
      });
      expect(task.body._reqBodySize).toBeGreaterThan(100);
      expect((await read(CONFIGS, { nsfilter: NS })).body._total).toBe(0);
    });

    it('reserve their short name in their namespace', async () => {
      await app.caller('olga', OTHER);
      await accept(configDraft({ _shortName: 'taken' }));
      const rejected = await post(configDraft({ _shortName: 'taken' })).expect(400);
      expect(rejected.body.code).toBe('SHORT_NAME_TAKEN');
      await post(configDraft({ _shortName: 'taken', _namespaces: [OTHER] }), OTHER).expect(202);
      await post(configDraft({ _shortName: 'taken', _namespaces: [OTHER, NS] }), NS).expect(400);
    });

    it('get a name only once when several ask for it concurrently', async () => {
      const responses = await Promise.all(Array.from({ length: 5 }, () => post(configDraft({ _shortName: 'race' }))));
      expect(responses.map(({ status }) => status).sort()).toEqual([202, 400, 400, 400, 400]);
    });

    it('free the name when their task fails', async () => {
      const location = await accept(configDraft({ _shortName: 'failing' }));
      const tasks = createTasks(app.deps.mongo);
      await tasks.fail(location.split('/').at(-1)!, { status: 500, body: null });
      await post(configDraft({ _shortName: 'failing' })).expect(202);
      await post(configDraft({ _shortName: 'failing' })).expect(400);
    });

    it('are refused when they would be too large', async () => {
      // Numbers may be longer in the response than they were sent.
      const numbers = `"_sources":[{"_connector":"plant","_channel":"#","ids":[${'1e20,'.repeat(100_000)}1]}]`;
      const growing = JSON.stringify(ofBytes(1_000)).replace('"_bindings"', `${numbers},"_bindings"`);
      const sent = app.api.post(CONFIGS).query({ nsfilter: NS }).set(owner).type('json');
      expect((await sent.send(growing).expect(413)).body).toMatchObject({ code: 'PAYLOAD_TOO_LARGE' });
    });

    it('show their tasks to whoever started them and to administrators', async () => {
      const location = await accept(configDraft());
      const neighbour = await app.caller('nina', NS);
      const admin = { authorization: await app.as('ada', 'admin') };
      await read(location, {}, neighbour).expect(404);
      await read(location, {}, admin).expect(200);
      await app.api.get(location).expect(401);
      await read(`${API}/telemetry_async_tasks/6b01e9fb590ff35d0952a9ce`).expect(404);
      await read(`${API}/telemetry_async_tasks/nonsense`).expect(404);
    });
  });

  describe('with a worker', () => {
    beforeAll(async () => void (await app.startWorker()));

    it('have their response at a signed URL if it has more than 1 MB', async () => {
      const small = await accept(ofBytes(900_000, 'small'));
      expect((await completed(small))._response).toMatchObject({ externalStorage: false, _status: 201 });
      const location = await accept(ofBytes(1_020_000));
      const task = await completed(location);
      expect(task._response).toMatchObject({ externalStorage: true, _status: 201, _statusMsg: 'Created' });
      const url = new URL(task._response._body);
      expect(url.origin).toBe(app.deps.config.BASE_URL);
      const fetched = await app.api.get(url.pathname + url.search).expect(200);
      expect(fetched.body).toMatchObject({ _shortName: 'large', _namespaces: [NS] });
      expect(fetched.body._configData._normalizationScript.code.length).toBeGreaterThan(1_000_000);
      const alias = await app.api.get(location.replace('telemetry_async_tasks', 'asynctasks')).set(owner).expect(200);
      expect(new URL(alias.body._response._body).pathname).toBe(url.pathname);

      const change = (more: Record<string, string>, path = url.pathname) =>
        app.api.get(path).query({ ...Object.fromEntries(url.searchParams), ...more });
      await change({ expires: String(Number(url.searchParams.get('expires')) + 1) }).expect(404);
      await change({ signature: 'x'.repeat(43) }).expect(404);
      await change({ signature: '' }).expect(404);
      const ofSecret = createHmac('sha256', app.deps.config.SERVICE_CLIENT_SECRET)
        .update(`response of task ${location.split('/').at(-1)} until ${url.searchParams.get('expires')}`)
        .digest('base64url');
      expect(url.searchParams.get('signature')).not.toBe(ofSecret);
      await change({}, url.pathname.replace(location.split('/').at(-1)!, small.split('/').at(-1)!)).expect(404);
      await change({ expires: 'soon' }).expect(400);
      await app.api.get(url.pathname).expect(400);
    });

    it('are created, and the task shows the response', async () => {
      const body = configDraft();
      const task = await completed(await accept(body));
      expect(task._response).toMatchObject({
        _status: 201,
        externalStorage: false,
        _headers: { 'Content-Type': 'application/json' },
      });
      const config = JSON.parse(task._response._body);
      expect(config).toEqual({
        ...body,
        _id: expect.stringMatching(/^[0-9a-f]{24}$/),
        _uri: `/telemetryconfigs/${config._id}`,
        _irn: `itemsvc:telemetryconfig:${config._id}`,
        _updateLogs: [],
        _metadata: expect.objectContaining({ _createdById: 'olga', _createdAt: expect.any(Number) }),
      });
      expect((await read(`${CONFIGS}/${config._id}`, { nsfilter: NS }).expect(200)).body).toEqual(config);
      const listed = (await read(CONFIGS, { nsfilter: NS, _pageSize: 1000 }).expect(200)).body._list;
      const { _updateLogs, ...shown } = config;
      expect(listed).toContainEqual(shown);
    });

    it('are written once, however often their message is delivered', async () => {
      const location = await accept(configDraft({ _name: 'once' }));
      const taskId = location.split('/').at(-1)!;
      const before = await completed(location);
      const { mongo, log } = app.deps;
      const tasks = createTasks(mongo);
      const again = createTelemetryConfig(tasks, createTelemetryConfigWriter(mongo, tasks));
      const job = {
        id: taskId,
        attempt: 1,
        isFirstStart: true,
        lastAttempt: false,
        signal: new AbortController().signal,
        log,
      };
      await Promise.all([again({ taskId }, job), again({ taskId }, { ...job, isFirstStart: false })]);
      expect((await read(location)).body).toEqual(before);
      expect(await mongo.db.collection('telemetry_configs').countDocuments({ _name: 'once' })).toBe(1);
    });

    it('are written once when two workers have the message at the same time', async () => {
      const { mongo, log } = app.deps;
      const tasks = createTasks(mongo);
      const message = telemetryJobs.messages['telemetry-config.create'];
      const telemetryConfigs = mongo.db.collection('telemetry_configs');
      const config = (await telemetryConfigs.findOne({}))!;
      // A task of which the queue knows nothing.
      const taskId = await mongo.transaction((session) =>
        tasks.create(session, {
          message,
          namespaces: [NS],
          input: { config: { ...config, _id: 'f'.repeat(24), _name: 'both' } },
          createdById: 'olga',
          reqBodySize: 1,
        }),
      );
      const write = createTelemetryConfig(tasks, createTelemetryConfigWriter(mongo, tasks));
      const job = {
        id: taskId,
        attempt: 1,
        isFirstStart: false,
        lastAttempt: false,
        signal: new AbortController().signal,
        log,
      };
      await Promise.all([write({ taskId }, job), write({ taskId }, job)]);
      expect(await telemetryConfigs.countDocuments({ _name: 'both' })).toBe(1);
      expect((await tasks.get(taskId))?._status).toBe('COMPLETED');
    });

    it('are visible with permission only', async () => {
      const config = JSON.parse((await completed(await accept(configDraft())))._response._body);
      const stranger = await app.caller('sam', OTHER);
      await read(`${CONFIGS}/${config._id}`, { nsfilter: NS }, stranger).expect(404);
      await read(`${CONFIGS}/${config._id}`, { nsfilter: OTHER }, stranger).expect(404);
      expect((await read(CONFIGS, { nsfilter: NS }, stranger)).body).toMatchObject({ _total: 0, _list: [] });
      expect(
        (await read(CONFIGS, {}, stranger)).body._list.every(({ _namespaces }: { _namespaces: string[] }) =>
          _namespaces.includes(OTHER),
        ),
      ).toBe(true);
      await post(configDraft(), NS, stranger).expect(403);
      const reader = await app.caller('rita', NS, ['READ'], config._irn);
      expect((await read(CONFIGS, { nsfilter: NS }, reader)).body).toMatchObject({
        _total: 1,
        _list: [{ _id: config._id }],
      });
      await post(configDraft(), NS, reader).expect(403);
      await read(`${CONFIGS}/6b01e9fb590ff35d0952a9ce`, { nsfilter: NS }).expect(404);
    });
  });

  it.each([
    ['_name'],
    ['_shortName'],
    ['_userType'],
    ['_description'],
    ['_namespaces'],
    ['_configData'],
    ['_configData._bindings', { _configData: { _normalizationScript: { _userType: 'a' } } }],
    ['_configData._normalizationScript', { _configData: { _bindings: [] } }],
    [
      '_configData._bindings.0.query',
      { _configData: { ...configDraft()._configData, _bindings: [{ collectionDesc: { _userItemId: 'a' } }] } },
    ],
    ['_shortName', { _shortName: 'x'.repeat(23) }],
    ['_name', { _name: 'x'.repeat(101) }],
    ['_userType', { _userType: 'x'.repeat(101) }],
  ])('need a valid %s', async (field, more: object = { [field]: undefined }) => {
    const reply = await post(configDraft(more)).expect(400);
    expect(reply.body.errors[0].location).toBe(`body.${field}`);
  });

  it('need nsfilter by id and on creation, where it must be one of their namespaces', async () => {
    await app.api.post(CONFIGS).set(owner).send(configDraft()).expect(400);
    await read(`${CONFIGS}/6b01e9fb590ff35d0952a9ce`).expect(400);
    await app.caller('olga', OTHER);
    await post(configDraft(), OTHER).expect(400);
  });
});
