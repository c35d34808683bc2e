import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { keepExamples, withHeaders } from '@dtplatform/testing';
import { entryFor, PERMISSIONS, startApp } from './start-app.js';
import type { Entry, TestApp } from './start-app.js';

const NAMESPACE = 'tower_0a1b2c3d';
const GROUP = '0123456789abcdef01234567';
const BEN = { _type: 'user', _id: 'ben' };

let app: TestApp;
beforeAll(async () => (app = withHeaders(await startApp())));
afterAll(() => app.stop());

/** Each operation of the reference that returns JSON, as one story. */
it('keeps the examples of the API reference', async () => {
  const examples = keepExamples(new URL('../', import.meta.url));
  const olga = await app.as('olga');
  const platform = await app.as('platform', 'trusted');
  const get = (path: string, query: object) =>
    app.api
      .get(PERMISSIONS + path)
      .set({ authorization: olga })
      .query(query);
  const post = (path: string, body: object, authorization = olga) =>
    app.api
      .post(PERMISSIONS + path)
      .set({ authorization })
      .send(body);
  const put = (entries: Entry[], authorization = olga) => app.api.put(PERMISSIONS).set({ authorization }).send(entries);

  await put([entryFor('olga', NAMESPACE, '*:*:*', '*')], platform).expect(200);
  const group = { _revision: 1, _memberIds: [], _namespaces: [NAMESPACE], _deleted: false };
  const putGroup = app.api.put(`${PERMISSIONS}/usergroups/${GROUP}`).set({ authorization: platform }).send(group);
  examples.keep('permissions.putGroup', await putGroup.expect(200));

  const doors = { _irn: 'itemsvc:nameduseritem:*', _criteria: { _userType: 'door' } };
  const limited = { ...entryFor('ben', NAMESPACE, '', 'READ', 'EDIT'), _resourceDesc: doors };
  const stranger = entryFor('unknown', NAMESPACE, 'filesvc:file:*', 'READ');
  const written = await put([entryFor('ben', NAMESPACE, 'filesvc:file:*', 'READ'), limited, stranger]).expect(200);
  examples.keep('permissions.put', written);

  const ofBen = { _namespace: NAMESPACE, '_user._id': 'ben', '_user._type': 'user' };
  const listed = get('', { ...ofBen, '_resourceDesc._irn': 'filesvc:file:*', patternmatch: 'false' });
  examples.keep('permissions.list', await listed.expect(200));
  const question = { _user: BEN, _action: 'EDIT', _irn: 'filesvc:file:*', _namespace: NAMESPACE };
  examples.keep('permissions.check', await post('/check?reasons=true', [question]).expect(200));
  examples.keep('permissions.effective', await get('/effective', ofBen).expect(200));
  const onFiles = { _namespace: NAMESPACE, '_resourceDesc._irn': 'filesvc:file:*' };
  examples.keep('permissions.holders', await get('/holders', onFiles).expect(200));
  examples.keep('permissions.audit', await get('/audit', { _namespace: NAMESPACE, _pageSize: '2' }).expect(200));

  const grants = await post('/grants', { _user: BEN, _namespace: NAMESPACE }, platform).expect(200);
  examples.keep('permissions.grants', grants);
  examples.keep('permissions.namespaces', await post('/namespaces', { _user: BEN }, platform).expect(200));
  examples.keep('permissions.close', await post('/close', { _namespaces: [NAMESPACE] }, platform).expect(200));

  const { kept, stored } = examples.end();
  expect(kept).toEqual(stored);
});
