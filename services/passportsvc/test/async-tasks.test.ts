import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApp } from './start-app.js';
import type { TestApp } from './start-app.js';
import { asApp } from './tokens.js';

const TASKS = '/passportsvc/api/v1/asynctasks';
const REMOTE_ID = '6b01e9fb590ff35d0952a9ce';

/** A fake of itemsvc; tests/e2e/async-tasks.test.ts uses the real one. */
async function startItemsvc() {
  const answer: { status: number; body: unknown } = { status: 404, body: {} };
  const asked: { path?: string; authorization?: string }[] = [];
  const server = createServer(({ url, headers }, res) => {
    asked.push({ path: url, authorization: headers.authorization });
    res.writeHead(answer.status, { 'content-type': 'application/json' }).end(JSON.stringify(answer.body));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { answer, asked, url, stop: () => once(server.close(), 'close') };
}

describe('async tasks', () => {
  let itemsvc: Awaited<ReturnType<typeof startItemsvc>>;
  let app: TestApp;
  let owner: string;

  const get = (id: string, authorization: string) => app.send('get', `${TASKS}/${id}`, authorization);

  beforeAll(async () => {
    itemsvc = await startItemsvc();
    app = await startApp({ ITEMSVC_URL: itemsvc.url, FILESVC_URL: itemsvc.url });
    owner = await asApp(app, app.second);
  });
  afterAll(async () => {
    await app.stop();
    await itemsvc.stop();
  });

  it("forwards the caller's token to every service", async () => {
    const task = { _reqBodySize: 1, _batchCompleted: 0, _status: 'RUNNING', _timeTakenInSecs: 0, _namespaces: [] };
    Object.assign(itemsvc.answer, { status: 200, body: { _id: REMOTE_ID, ...task } });
    expect((await get(REMOTE_ID, owner).expect(200)).body).toEqual({ _id: REMOTE_ID, ...task });
    for (const service of ['itemsvc', 'filesvc']) {
      const path = `/${service}/api/v1/asynctasks/${REMOTE_ID}`;
      expect(itemsvc.asked).toContainEqual({ path, authorization: owner });
    }
  });

  it('responds with 404 when no service shows the task, without asking for impossible ids', async () => {
    Object.assign(itemsvc.answer, { status: 404, body: {} });
    await get(REMOTE_ID, owner).expect(404);
    const before = itemsvc.asked.length;
    for (const id of ['nonsense', '..%2f..%2fapps', `${REMOTE_ID}0`, '$ne']) await get(id, owner).expect(404);
    expect(itemsvc.asked).toHaveLength(before);
  });

  it.each([
    ['fails', { status: 500, body: {} }],
    ['answers with something else', { status: 200, body: { secret: 'value' } }],
  ])('responds with 503 while a service %s', async (_how, answer) => {
    Object.assign(itemsvc.answer, answer);
    const { body } = await get(REMOTE_ID, owner).expect(503);
    expect(JSON.stringify(body)).not.toContain('secret');
  });
});
