import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { entryFor, PERMISSIONS, startApp } from './start-app.js';
import type { TestApp } from './start-app.js';

let app: TestApp;
let platform: string;
let namespace: string;
let benId: string;
let ben: string;
beforeAll(async () => {
  app = await startApp();
  platform = await app.as('platform', 'trusted');
});
afterAll(() => app.stop());
beforeEach(async () => {
  [namespace, benId] = [`tower_${randomUUID()}`, `ben-${randomUUID()}`];
  ben = await app.as(benId);
  const entries = [
    entryFor(benId, namespace, 'filesvc:file:*', 'READ', 'EDIT'),
    entryFor(benId, namespace, 'filesvc:file:7', 'SHARE'),
  ];
  await app.api.put(PERMISSIONS).set({ authorization: platform }).send(entries).expect(200);
});

const question = (_action: string, _irn: string, userId = benId, _namespace = namespace) => ({
  _user: { _type: 'user', _id: userId },
  _action,
  _irn,
  _namespace,
});
const check = (authorization: string, questions: unknown) =>
  app.api
    .post(`${PERMISSIONS}/check`)
    .set({ authorization })
    .send(questions as object);

describe('POST /permissions/check', () => {
  it('returns each question with its answer, in the same order', async () => {
    const questions = [
      question('READ', 'filesvc:file:1'),
      question('DELETE', 'filesvc:file:1'),
      question('SHARE', 'filesvc:file:7'),
      question('*', 'filesvc:file:7'),
      question('READ', 'filesvc:file:*'),
      question('READ', 'filesvc:*:1'),
      question('READ', 'filesvc:file:1', benId, 'elsewhere_1'),
      question('READ', 'filesvc:file:1', 'nobody'),
      { ...question('READ', 'filesvc:file:1'), _user: { _type: 'usergroup', _id: benId } },
    ];
    const reply = await check(platform, questions).expect(200);
    const expected = [true, false, true, false, true, false, false, false, false];
    expect(reply.body).toEqual({ _list: questions.map((asked, n) => ({ ...asked, _allowed: expected[n] })) });
  });

  it('answers a thousand questions about a hundred users, but no more', async () => {
    const users = Array.from({ length: 100 }, (_, n) => `user-${n}-${namespace}`);
    const entries = users.map((userId, n) => entryFor(userId, namespace, `filesvc:file:${n}`, 'READ'));
    await app.api.put(PERMISSIONS).set({ authorization: platform }).send(entries).expect(200);
    const questions = Array.from({ length: 1000 }, (_, n) => question('READ', `filesvc:file:${n % 7}`, users[n % 100]));
    const reply = await check(platform, questions).expect(200);
    const answers = (reply.body._list as { _allowed: boolean }[]).map(({ _allowed }) => _allowed);
    expect(answers).toEqual(questions.map((_, n) => n % 100 === n % 7));
    await check(platform, [...questions, question('READ', 'filesvc:file:1')]).expect(400);
  });

  it('refuses questions about more than 100 namespaces', async () => {
    const questions = Array.from({ length: 101 }, (_, n) => question('READ', 'filesvc:file:1', benId, `ns_${n}`));
    const reply = await check(ben, questions).expect(400);
    expect(reply.body.errors).toEqual([{ location: 'body', message: 'must name at most 100 different namespaces' }]);
    await check(ben, [...questions.slice(1), ...questions.slice(1)]).expect(200);
  });

  it('answers questions of users about themselves', async () => {
    const reply = await check(ben, [question('EDIT', 'filesvc:file:1'), question('RUN', 'filesvc:file:1')]).expect(200);
    expect(reply.body._list).toMatchObject([{ _allowed: true }, { _allowed: false }]);
  });

  it('answers questions about others where the caller holds SHARE, and otherwise refuses the request', async () => {
    const reply = await check(ben, [question('READ', 'filesvc:file:7', 'carl')]).expect(200);
    expect(reply.body._list).toMatchObject([{ _allowed: false }]);
    const refused = await check(ben, [
      question('READ', 'filesvc:file:1'),
      question('READ', 'filesvc:file:1', 'carl'),
    ]).expect(403);
    expect(refused.body.code).toBe('MAY_NOT_ASK');
    await check(await app.as('root', 'admin'), [question('READ', 'filesvc:file:1')]).expect(403);
  });

  it('returns no answers when there are no questions', async () => {
    expect((await check(ben, []).expect(200)).body).toEqual({ _list: [] });
  });

  it.each<[string, unknown]>([
    ['an object', {}],
    ['an unknown action', [question('FLY', 'filesvc:file:1')]],
    ['a resource name of two parts', [question('READ', 'filesvc:file')]],
    ['a missing user', [{ ...question('READ', 'filesvc:file:1'), _user: undefined }]],
    ['an empty namespace', [{ ...question('READ', 'filesvc:file:1'), _namespace: '' }]],
  ])('responds 400 for %s', async (_what, body) => {
    await check(platform, body).expect(400);
  });
});

describe('POST /permissions/grants and /namespaces', () => {
  const ask = (path: string, authorization: string, body: object) =>
    app.api.post(`${PERMISSIONS}/${path}`).set({ authorization }).send(body);

  it('return all grants of a subject in a namespace, and the namespaces in which it holds any', async () => {
    const subject = { _type: 'user', _id: benId };
    const grants = await ask('grants', platform, { _user: subject, _namespace: namespace }).expect(200);
    expect(grants.body).toEqual({
      _list: [
        { _irn: 'filesvc:file:*', _actions: ['READ', 'EDIT'] },
        { _irn: 'filesvc:file:7', _actions: ['SHARE'] },
      ],
      _limited: [],
    });
    expect((await ask('namespaces', platform, { _user: subject }).expect(200)).body).toEqual({ _list: [namespace] });
    const nobody = { _type: 'user', _id: 'nobody' };
    expect((await ask('namespaces', platform, { _user: nobody }).expect(200)).body).toEqual({ _list: [] });
  });

  it('are refused to callers that are not trusted clients', async () => {
    for (const caller of [ben, await app.as('root', 'admin'), await app.as('some-app', 'app')]) {
      await ask('grants', caller, { _user: { _type: 'user', _id: benId }, _namespace: namespace }).expect(403);
      await ask('namespaces', caller, { _user: { _type: 'user', _id: benId } }).expect(403);
    }
  });

  it('respond 400 for invalid input', async () => {
    await ask('grants', platform, { _user: { _type: 'user' }, _namespace: namespace }).expect(400);
    await ask('namespaces', platform, {}).expect(400);
  });
});
