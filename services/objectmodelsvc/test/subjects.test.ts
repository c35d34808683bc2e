import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { newId } from '@dtplatform/mongo';
import { entryFor, PERMISSIONS, startApp } from './start-app.js';
import type { TestApp } from './start-app.js';

/** Fake passportsvc: users whose ids start with `known` exist, `broken` responds 500. */
let passportsvc: Server;
let asked: { path: string; authorization: string | undefined }[] = [];
let app: TestApp;
let platform: string;

beforeAll(async () => {
  passportsvc = createServer((req, res) => {
    const path = req.url ?? '';
    if (path === '/token') return void res.end(JSON.stringify({ access_token: 'own-token', expires_in: 3600 }));
    asked.push({ path, authorization: req.headers.authorization });
    const id = decodeURIComponent(path.split('/').at(-1)!);
    if (id.startsWith('known')) res.end(JSON.stringify({ id, userName: 'x' }));
    else res.writeHead(id.startsWith('broken') ? 500 : 404).end();
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => passportsvc.once('listening', resolve));
  const url = `http://127.0.0.1:${(passportsvc.address() as AddressInfo).port}`;
  app = await startApp({ askPassportsvc: true, environment: { PASSPORTSVC_URL: url, TOKEN_URL: `${url}/token` } });
  platform = await app.as('platform', 'trusted');
});
afterAll(async () => {
  await app.stop();
  passportsvc.closeAllConnections();
  passportsvc.close();
});
beforeEach(() => {
  asked = [];
});

const put = (...users: { _type: string; _id: string }[]) =>
  app.api
    .put(PERMISSIONS)
    .set({ authorization: platform })
    .send(users.map((_user) => ({ ...entryFor('', 'tower_1', 'filesvc:file:1', 'READ'), _user })));

it('asks passportsvc, with its own token, whether a user exists', async () => {
  const id = `known-${randomUUID()}`;
  const { body } = await put({ _type: 'user', _id: id }, { _type: 'user', _id: 'gone' }).expect(200);
  expect(body._list).toMatchObject({
    _success: [{ _user: { _id: id } }],
    _failures: [{ _index: 1, code: 'UNKNOWN_SUBJECT' }],
  });
  expect(asked).toEqual(
    [id, 'gone'].map((each) => ({ path: `/passportsvc/api/v1/scim/Users/${each}`, authorization: 'Bearer own-token' })),
  );
});

/** Lookups of users so far. */
async function lookups(outcome: 'hit' | 'miss'): Promise<number> {
  const start = `cache_lookups_total{cache="known_users",outcome="${outcome}"} `;
  const line = (await app.deps.registry.metrics()).split('\n').find((text) => text.startsWith(start));
  return Number(line?.slice(start.length));
}

it('caches users that exist, but not those that do not', async () => {
  const id = `known-${randomUUID()}`;
  const [hits, misses] = [await lookups('hit'), await lookups('miss')];
  await put({ _type: 'user', _id: id }).expect(200);
  await put({ _type: 'user', _id: id }).expect(200);
  expect(asked).toHaveLength(1);
  await put({ _type: 'user', _id: 'gone' }).expect(200);
  await put({ _type: 'user', _id: 'gone' }).expect(200);
  expect(asked).toHaveLength(3);
  expect([(await lookups('hit')) - hits, (await lookups('miss')) - misses]).toEqual([1, 3]);
});

it('does not let an id change the request path', async () => {
  for (const _id of ['.', '..']) {
    expect((await put({ _type: 'user', _id }).expect(200)).body._list._failures).toMatchObject([
      { code: 'UNKNOWN_SUBJECT' },
    ]);
  }
  await put({ _type: 'user', _id: '../../known?x=1#' }).expect(200);
  expect(asked.map(({ path }) => path)).toEqual(['/passportsvc/api/v1/scim/Users/..%2F..%2Fknown%3Fx%3D1%23']);
});

it('asks passportsvc each time whether a permission profile exists', async () => {
  const [profile, id] = ['permprofile', `known-${randomUUID()}`];
  for (let n = 0; n < 2; n++) {
    const { body } = await put({ _type: profile, _id: id }, { _type: profile, _id: 'gone' }).expect(200);
    expect(body._list).toMatchObject({
      _success: [{ _user: { _type: profile, _id: id } }],
      _failures: [{ _index: 1, code: 'UNKNOWN_SUBJECT' }],
    });
  }
  const paths = [id, 'gone'].map((each) => `/passportsvc/api/v1/permissionprofiles/${each}`);
  expect(asked.map(({ path }) => path)).toEqual([...paths, ...paths]);
  expect(asked[0]!.authorization).toBe('Bearer own-token');
});

it('grants to groups that passportsvc has reported, without asking passportsvc', async () => {
  const [known, gone, unknown] = [newId(), newId(), newId()];
  for (const [id, _deleted] of [
    [known, false],
    [gone, true],
  ]) {
    const state = { _revision: 0, _memberIds: [], _namespaces: [], _deleted };
    await app.api.put(`${PERMISSIONS}/usergroups/${id}`).set({ authorization: platform }).send(state).expect(200);
  }
  const subjects = [known, gone, unknown].map((_id) => ({ _type: 'usergroup', _id }));
  const { body } = await put(...subjects).expect(200);
  expect(body._list._success).toMatchObject([{ _user: { _id: known } }]);
  expect(body._list._failures).toMatchObject([
    { _index: 1, code: 'UNKNOWN_SUBJECT' },
    { _index: 2, code: 'UNKNOWN_SUBJECT' },
  ]);
  expect(asked).toEqual([]);
});

it('grants nothing and responds 503 while passportsvc fails', async () => {
  const id = `known-${randomUUID()}`;
  const reply = await put({ _type: 'user', _id: id }, { _type: 'user', _id: 'broken' }).expect(503);
  expect(reply.headers['retry-after']).toBe('1');
  const question = {
    _user: { _type: 'user', _id: id },
    _action: 'READ',
    _irn: 'filesvc:file:1',
    _namespace: 'tower_1',
  };
  const check = await app.api
    .post(`${PERMISSIONS}/check`)
    .set({ authorization: platform })
    .send([question])
    .expect(200);
  expect(check.body._list[0]._allowed).toBe(false);
});
