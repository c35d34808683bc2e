import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { permissionAnswers } from '@dtplatform/testing';
import { entryFor, PERMISSIONS, startApp } from './start-app.js';
import type { TestApp } from './start-app.js';

const NAMESPACE = 'tower_0a1b2c3d';

let app: TestApp;
beforeAll(async () => (app = await startApp()));
afterAll(() => app.stop());

/** Ids and times differ in each run. */
const withoutChance = (reply: unknown): unknown =>
  JSON.parse(JSON.stringify(reply), (key, value: unknown) => {
    if (key === '_id' && /^[0-9a-f]{24}$/.test(String(value))) return 'an id';
    return key === '_createdAt' || key === '_updatedAt' ? typeof value : value;
  });

it('what stands in for this service in examples of others answers as this service does', async () => {
  const entry = entryFor('ben', NAMESPACE, 'filesvc:file:*', 'READ');
  const standIn = permissionAnswers(entry);
  const put = async (caller: string, body: object[]) =>
    (await app.api.put(PERMISSIONS).set({ authorization: caller }).send(body).expect(200)).body as unknown;

  await put(await app.as('platform', 'trusted'), [entryFor('olga', NAMESPACE, '*:*:*', '*')]);
  const olga = await app.as('olga');
  expect(withoutChance(await put(olga, [entry]))).toEqual(withoutChance(standIn[`PUT ${PERMISSIONS}`]));
  const query = {
    ...{ _namespace: NAMESPACE, '_user._id': 'ben', '_user._type': 'user' },
    ...{ '_resourceDesc._irn': 'filesvc:file:*', patternmatch: 'false' },
  };
  const listed = await app.api.get(PERMISSIONS).set({ authorization: olga }).query(query).expect(200);
  expect(withoutChance(listed.body)).toEqual(withoutChance(standIn[`GET ${PERMISSIONS}`]));
});
