import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTasks, defineCatalogue, taskPayload } from '@dtplatform/queue';
import { REDIRECT_URI, startApp } from './start-app.js';
import type { TestApp } from './start-app.js';
import { asApp, asUser, claimsOf } from './tokens.js';

const TASKS = '/passportsvc/api/v1/asynctasks';
const REMOTE_ID = '6b01e9fb590ff35d0952a9ce';
const message = defineCatalogue('passportsvc.test', { 'test.task': taskPayload }).messages['test.task'];

/** Answers for itemsvc as a test says; tests/e2e/async-tasks.test.ts asks the real one. */
async function startItemsvc() {
  const answer: { status: number; body: unknown } = { status: 404, body: {} };
  const asked: { path?: string; authorization?: string }[] = [];
  const server = createServer(({ url, headers }, res) => {
    asked.push({ path: url, authorization: headers.authorization });
    res.writeHead(answer.status, { 'content-type': 'application/json' }).end(JSON.stringify(answer.body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { answer, asked, url, stop: () => new Promise((resolve) => server.close(resolve)) };
}

describe('async tasks', () => {
  let itemsvc: Awaited<ReturnType<typeof startItemsvc>>;
  let app: TestApp;
  let owner: string;
  let other: string;

  const get = (id: string, authorization: string) => app.api.get(`${TASKS}/${id}`).set({ authorization });
  const start = (createdById: string) => {
    const task = { message, namespaces: ['ns_1'], input: { secret: 'input' }, createdById, reqBodySize: 12 };
    return app.mongo.transaction((session) => createTasks(app.mongo).create(session, task));
  };

  beforeAll(async () => {
    itemsvc = await startItemsvc();
    app = await startApp({ ITEMSVC_URL: itemsvc.url });
    owner = await asApp(app, { id: app.dev.second.appId, secret: app.dev.second.appSecret });
    const wanted = { _name: 'Other', _appOwner: app.admin.userName, _orgId: app.orgId, _redirectUris: REDIRECT_URI };
    const authorization = await asApp(app);
    const { body } = await app.api.post('/passportsvc/api/v1/apps').set({ authorization }).send(wanted).expect(201);
    other = await asApp(app, { id: body._id as string, secret: body._secret as string });
  });
  afterAll(async () => {
    await app.stop();
    await itemsvc.stop();
  });

  it('are shown to whoever started them, administrators and trusted clients', async () => {
    const id = await start(claimsOf(owner).sub as string);
    const shown = {
      _id: id,
      _reqBodySize: 12,
      _batchCompleted: 0,
      _status: 'QUEUED',
      _timeTakenInSecs: 0,
      _namespaces: ['ns_1'],
    };
    for (const caller of [owner, await asUser(app), await asApp(app)])
      expect((await get(id, caller).expect(200)).body).toEqual(shown);
    await get(id, other).expect(404);
    await app.api.get(`${TASKS}/${id}`).expect(401);
  });

  it('have the reply once they have ended', async () => {
    const id = await start(claimsOf(owner).sub as string);
    await createTasks(app.mongo).complete(id, { status: 201, body: { _total: 2 }, batchCompleted: 2 });
    expect((await get(id, owner).expect(200)).body).toMatchObject({
      _status: 'COMPLETED',
      _batchCompleted: 2,
      _timeTakenInSecs: expect.any(Number),
      _response: {
        externalStorage: false,
        _body: '{"_total":2}',
        _statusMsg: 'OK',
        _status: 201,
        _headers: { 'Content-Type': 'application/json' },
      },
    });
    const failed = await start(claimsOf(owner).sub as string);
    await createTasks(app.mongo).fail(failed, { status: 500, body: null });
    expect((await get(failed, owner).expect(200)).body).toMatchObject({
      _status: 'ERROR',
      _response: { _status: 500 },
    });
  });

  it('of other services are asked for in the name of the caller', async () => {
    const task = { _reqBodySize: 1, _batchCompleted: 0, _status: 'RUNNING', _timeTakenInSecs: 0, _namespaces: [] };
    Object.assign(itemsvc.answer, { status: 200, body: { _id: REMOTE_ID, ...task } });
    expect((await get(REMOTE_ID, owner).expect(200)).body).toEqual({ _id: REMOTE_ID, ...task });
    expect(itemsvc.asked.at(-1)).toEqual({ path: `/itemsvc/api/v1/asynctasks/${REMOTE_ID}`, authorization: owner });
  });

  it('that no service shows are not found', async () => {
    Object.assign(itemsvc.answer, { status: 404, body: {} });
    await get(REMOTE_ID, owner).expect(404);
    const before = itemsvc.asked.length;
    for (const id of ['nonsense', '..%2f..%2fapps', `${REMOTE_ID}0`, '$ne']) await get(id, owner).expect(404);
    expect(itemsvc.asked).toHaveLength(before);
  });

  it.each([
    ['fails', { status: 500, body: {} }],
    ['answers with something else', { status: 200, body: { secret: 'value' } }],
  ])('are unavailable while a service %s', async (_how, answer) => {
    Object.assign(itemsvc.answer, answer);
    const { body } = await get(REMOTE_ID, owner).expect(503);
    expect(JSON.stringify(body)).not.toContain('secret');
    // Those of this service are not.
    await get(await start(claimsOf(owner).sub as string), owner).expect(200);
  });
});
