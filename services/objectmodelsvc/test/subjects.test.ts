import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Subject } from '@dtplatform/contracts';
import { newId } from '@dtplatform/mongo';
import { rejectTokens } from '@dtplatform/permissions';
import { permissionClient } from './permission-client.js';
import { entryFor, PERMISSIONS, startApp } from './start-app.js';

/** Fake passportsvc: ids that start with `known` exist until they are in `deleted`; `broken` responds 500. */
const passportsvc = createServer((req, res) => void answer(req, res)).listen(0, '127.0.0.1');
const deleted = new Set<string>();
/** Runs before the next response about an id, which is then outdated. */
let beforeAnswer: ((id: string) => Promise<void>) | undefined;
let asked: { path: string; authorization: string | undefined }[] = [];
async function answer(req: IncomingMessage, res: ServerResponse) {
  const path = req.url ?? '';
  if (path === '/token') return void res.end(JSON.stringify({ access_token: 'own-token', expires_in: 3600 }));
  asked.push({ path, authorization: req.headers.authorization });
  const id = decodeURIComponent(path.split('/').at(-1)!);
  const exists = id.startsWith('known') && !deleted.has(id);
  const run = beforeAnswer;
  beforeAnswer = undefined;
  await run?.(id);
  if (exists) res.end(JSON.stringify({ id, userName: 'x' }));
  else res.writeHead(id.startsWith('broken') ? 500 : 404).end();
}

await once(passportsvc, 'listening');
const url = `http://127.0.0.1:${(passportsvc.address() as AddressInfo).port}`;
const environment = { PASSPORTSVC_URL: url, TOKEN_URL: `${url}/token` };
const app = await startApp({ askPassportsvc: true, environment });
const platform = await app.as('platform', 'trusted');
afterAll(async () => {
  await app.stop();
  passportsvc.closeAllConnections();
  passportsvc.close();
});
beforeEach(() => {
  asked = [];
});

const { put: write, may } = permissionClient(() => app);
const send = (...entries: object[]) => app.api.put(PERMISSIONS).set({ authorization: platform }).send(entries);
const put = (...users: { _type: string; _id: string }[]) =>
  send(...users.map((_user) => ({ ...entryFor('', 'tower_1', 'filesvc:file:1', 'READ'), _user })));

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
  const response = await put({ _type: 'user', _id: id }, { _type: 'user', _id: 'broken' }).expect(503);
  expect(response.headers['retry-after']).toBe('1');
  expect(await may(platform, id, 'tower_1')).toBe(false);
});

/** What passportsvc does before it responds to a deletion; and what it does later. */
async function deleteSubject({ _type, _id }: Subject, { cleanUp = false } = {}): Promise<void> {
  deleted.add(_id);
  await rejectTokens(app.deps.redis, _type === 'app' ? 'app' : 'subject', _id, 60);
  if (cleanUp) await app.deps.permissions.removeUser(_id);
}
const recordsOf = (_id: string) => app.mongo.db.collection('permissions').countDocuments({ '_user._id': _id });
const failuresOf = async (subject: Subject) =>
  (await put(subject).expect(200)).body._list._failures as { code: string }[];
const user = (): Subject => ({ _type: 'user', _id: `known-${randomUUID()}` });

describe('a deleted subject', () => {
  it.each(['user', 'app', 'permprofile'] as const)('is granted nothing any more: %s', async (_type) => {
    const subject: Subject = { _type, _id: `known-${randomUUID()}` };
    expect(await failuresOf(subject)).toEqual([]);
    await app.mongo.db.collection('permissions').deleteMany({ '_user._id': subject._id });
    await deleteSubject(subject);
    expect(await failuresOf(subject)).toMatchObject([{ _index: 0, code: 'UNKNOWN_SUBJECT' }]);
    expect(await recordsOf(subject._id)).toBe(0);
  });

  it('is distinguished from one whose tokens were rejected for another reason', async () => {
    const subject = user();
    expect(await failuresOf(subject)).toEqual([]);
    await rejectTokens(app.deps.redis, 'subject', subject._id, 60);
    expect(await failuresOf(subject)).toEqual([]);
  });

  it('keeps nothing that is granted while it is deleted', async () => {
    const subject = user();
    beforeAnswer = () => deleteSubject(subject, { cleanUp: true });
    expect(await failuresOf(subject)).toMatchObject([{ code: 'UNKNOWN_SUBJECT' }]);
    expect(await recordsOf(subject._id)).toBe(0);
  });

  it('keeps nothing that is committed after its permissions were removed', async () => {
    const subject = user();
    expect(await failuresOf(subject)).toEqual([]);
    await rejectTokens(app.deps.redis, 'subject', subject._id, 60);
    // The mark makes the write ask again; the subject is deleted after that response.
    beforeAnswer = () => deleteSubject(subject, { cleanUp: true });
    expect(await failuresOf(subject)).toMatchObject([{ _user: subject, code: 'UNKNOWN_SUBJECT' }]);
    expect(await recordsOf(subject._id)).toBe(0);
  });

  it.each<[string, () => Promise<Subject>]>([
    ['a user', () => Promise.resolve(user())],
    ['an app', () => Promise.resolve({ ...user(), _type: 'app' })],
    ['a permission profile', () => Promise.resolve({ ...user(), _type: 'permprofile' })],
    ['a group', () => group(newId())],
  ])('does not count as an owner: %s', async (_, create) => {
    const namespace = `tower_${randomUUID()}`;
    const [owner, other] = [user(), await create()];
    const everything = (_user: Subject, ...actions: string[]) => ({
      ...entryFor('', namespace, '*:*:*', ...actions),
      _user,
    });
    const { _success } = (await write(platform, [everything(owner, '*'), everything(other, '*')]))._list;
    if (other._type === 'usergroup') await putGroup(other._id, 1, { _deleted: true });
    else await deleteSubject(other);
    const { _failures } = (await write(platform, [everything(owner, 'READ')]))._list;
    expect(_failures).toMatchObject([{ code: 'LAST_OWNER' }]);
    const own = `${PERMISSIONS}/${_success[0]!._id}`;
    const authorization = await app.as(owner._id);
    expect((await app.api.delete(own).set({ authorization }).expect(403)).body.code).toBe('LAST_OWNER');

    await write(platform, [everything(user(), '*')]);
    await app.api.delete(own).set({ authorization }).expect(204);
  });

  it('does not count through a group whose members have all left', async () => {
    const namespace = `tower_${randomUUID()}`;
    const [owner, of] = [user(), await group(newId())];
    const all = (_user: Subject) => ({ ...entryFor('', namespace, '*:*:*', '*'), _user });
    await send(all(owner), all(of)).expect(200);
    const attempt = async () => (await write(platform, [{ ...all(owner), _actions: ['READ'] }]))._list._failures;
    await putGroup(of._id, 1, { _memberIds: [] });
    expect(await attempt()).toMatchObject([{ code: 'LAST_OWNER' }]);
    await putGroup(of._id, 2);
    expect(await attempt()).toEqual([]);
  });
});

const putGroup = (id: string, _revision: number, more: object = {}) =>
  app.api
    .put(`${PERMISSIONS}/usergroups/${id}`)
    .set({ authorization: platform })
    .send({ _revision, _memberIds: [newId()], _namespaces: [], _deleted: false, ...more })
    .expect(200);

async function group(_id: string): Promise<Subject> {
  await putGroup(_id, 0);
  return { _type: 'usergroup', _id };
}
