import { randomUUID } from 'node:crypto';
import { afterAll, beforeEach, expect, it } from '@jest/globals';
import { accessKeys, SubjectType } from '@dtplatform/contracts';
import { entryFor, PERMISSIONS, startApp } from './start-app.js';

const app = await startApp();
const platform = await app.as('platform', 'trusted');
let unique: string;
afterAll(() => app.stop());
beforeEach(() => {
  unique = randomUUID();
});

const redis = () => app.deps.redis.client;
const keys = () => redis().keys(`*${unique}*`);
const namespace = () => `tower_${unique}`;
const ask = (path: string, authorization: string, body: object) =>
  app.api.post(`${PERMISSIONS}/${path}`).set({ authorization }).send(body).expect(200);
const question = (_user: object, _namespace = namespace()) => ({
  _user,
  _action: 'READ',
  _irn: 'filesvc:file:1',
  _namespace,
});

it('Redis has no key for subjects and namespaces that somebody else asks about', async () => {
  const subjects = SubjectType.options.flatMap((_type) =>
    Array.from({ length: 20 }, (_, n) => ({ _type, _id: `nobody-${n}-${unique}` })),
  );
  const questions = subjects.map((subject, n) => question(subject, `nowhere-${n}-${unique}`));
  await ask('check', platform, questions);
  for (const _user of subjects.slice(0, 3)) {
    await ask('grants', platform, { _user, _namespace: namespace() });
    await ask('namespaces', platform, { _user });
  }
  expect(await keys()).toEqual([]);
});

it('Redis has no key for subjects that were granted something and never called', async () => {
  const entries = [
    entryFor(`ben-${unique}`, namespace(), 'filesvc:file:1', 'READ'),
    entryFor(`unknown-${unique}`, namespace(), 'filesvc:file:1', 'READ'),
  ];
  const response = await app.api.put(PERMISSIONS).set({ authorization: platform }).send(entries).expect(200);
  expect(response.body._list._success).toHaveLength(1);
  await ask('check', platform, [question(entries[0]!._user)]);
  const path = `${PERMISSIONS}/${response.body._list._success[0]._id}`;
  await app.api.delete(path).set({ authorization: platform }).expect(204);
  expect(await keys()).toEqual([]);
});

it('Redis keeps the epoch of a caller for an hour', async () => {
  const ben = { _type: 'user' as const, _id: `ben-${unique}` };
  await ask('check', await app.as(ben._id), [question(ben)]);
  expect(await keys()).toEqual([accessKeys.epoch(ben)]);
  const ttl = await redis().ttl(accessKeys.epoch(ben));
  expect(ttl).toBeGreaterThan(3500);
  expect(ttl).toBeLessThanOrEqual(3600);
});
