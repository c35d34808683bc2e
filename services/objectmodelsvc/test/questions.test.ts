import { describe, expect, it } from '@jest/globals';
import { setUpNamespaces } from './permission-client.js';
import { entryFor, PERMISSIONS } from './start-app.js';
import type { Entry } from './start-app.js';

const { here, ...client } = setUpNamespaces();
const put = async (...entries: Entry[]) =>
  (await client.put(here.platform, entries))._list._success.map(({ _id }) => _id);
const mine = (_irn: string, ..._actions: string[]) => entryFor(here.benId, here.namespace, _irn, ..._actions);

/** Has a group of which Ben is the only member. */
async function groupOfBen(): Promise<string> {
  const id = 'abcdefabcdefabcdefabcdef';
  const members = { _revision: Date.now(), _memberIds: ['0123456789abcdef01234567'], _namespaces: [], _deleted: false };
  await here.app.api
    .put(`${PERMISSIONS}/usergroups/${id}`)
    .set({ authorization: here.platform })
    .send(members)
    .expect(200);
  return id;
}
const MEMBER = '0123456789abcdef01234567';

describe('a check with reasons', () => {
  const check = async (authorization: string, ...questions: object[]) => {
    const asked = questions.map((more) => ({
      _user: { _type: 'user', _id: here.benId },
      _action: 'READ',
      _irn: 'itemsvc:nameduseritem:1',
      _namespace: here.namespace,
      ...more,
    }));
    const url = `${PERMISSIONS}/check?reasons=true`;
    const { body } = await here.app.api.post(url).set({ authorization }).send(asked).expect(200);
    return body._list.map(({ _allowed, _reason }: { _allowed: boolean; _reason: object }) => ({
      _allowed,
      ..._reason,
    }));
  };

  it('names the permissions that allow, or do not suffice', async () => {
    const [all, one] = await put(mine('itemsvc:*:*', 'READ'), mine('itemsvc:nameduseritem:1', 'READ', 'EDIT'));
    const answers = await check(
      here.ben,
      {},
      { _action: 'EDIT' },
      { _action: 'DELETE' },
      { _action: '*' },
      { _irn: 'filesvc:file:1' },
      { _namespace: 'elsewhere_1' },
    );
    const both = expect.arrayContaining([all, one]);
    expect(answers).toEqual([
      { _allowed: true, _code: 'GRANTED', _permissionIds: both },
      { _allowed: true, _code: 'GRANTED', _permissionIds: [one] },
      { _allowed: false, _code: 'NO_ACTION', _permissionIds: both },
      { _allowed: false, _code: 'NOT_ALL', _permissionIds: both },
      { _allowed: false, _code: 'NO_PERMISSION', _permissionIds: [] },
      { _allowed: false, _code: 'NO_PERMISSION', _permissionIds: [] },
    ]);
  });

  it('names those of groups', async () => {
    const _user = { _type: 'usergroup', _id: await groupOfBen() };
    const [id] = await put({ ...mine('itemsvc:*:*', 'READ'), _user });
    const [answer] = await check(here.platform, { _user: { _type: 'user', _id: MEMBER } });
    expect(answer).toEqual({ _allowed: true, _code: 'GRANTED', _permissionIds: [id] });
  });

  it('compares criteria with the fields of the question', async () => {
    const [id] = await put({
      ...mine('', 'READ'),
      _resourceDesc: { _irn: 'itemsvc:*:*', _criteria: { _userType: 'door' } },
    });
    const fields = [{ _userType: 'door' }, { _userType: 'window' }, undefined];
    const answers = await check(here.ben, ...fields.map((_resource) => ({ _resource })));
    expect(answers).toEqual([
      { _allowed: true, _code: 'GRANTED', _permissionIds: [id] },
      { _allowed: false, _code: 'NOT_ALL', _permissionIds: [id] },
      { _allowed: false, _code: 'NOT_ALL', _permissionIds: [id] },
    ]);
    const question = { _user: { _type: 'user', _id: here.benId }, _action: 'READ', _irn: 'itemsvc:nameduseritem:1' };
    const plain = { ...question, _namespace: here.namespace, _resource: { _userType: 'door' } };
    const { body } = await here.app.api
      .post(`${PERMISSIONS}/check`)
      .set({ authorization: here.ben })
      .send([plain])
      .expect(200);
    expect(body._list).toEqual([{ ...plain, _allowed: true }]);
  });

  it('answers apps about themselves', async () => {
    const app = await here.app.as('some-app', 'app');
    const [answer] = await check(app, { _user: { _type: 'app', _id: 'some-app' } });
    expect(answer).toMatchObject({ _allowed: false, _code: 'NO_PERMISSION' });
  });

  it('says nothing about others to whoever does not hold SHARE', async () => {
    const question = { _user: { _type: 'user', _id: here.ownerId }, _action: 'READ', _irn: 'itemsvc:nameduseritem:1' };
    const reply = await here.app.api
      .post(`${PERMISSIONS}/check?reasons=true`)
      .set({ authorization: here.ben })
      .send([{ ...question, _namespace: here.namespace }])
      .expect(403);
    expect(reply.body.code).toBe('MAY_NOT_ASK');
  });
});

describe('GET /permissions/effective', () => {
  const effective = (authorization: string, userId: string, query: object = {}) =>
    here.app.api
      .get(`${PERMISSIONS}/effective`)
      .set({ authorization })
      .query({ _namespace: here.namespace, '_user._id': userId, ...query });

  it('joins the permissions of a user and its groups, by resource', async () => {
    const group = { _type: 'usergroup', _id: await groupOfBen() };
    const user = { _type: 'user', _id: MEMBER };
    const door = { _irn: 'itemsvc:nameduseritem:*', _criteria: { _userType: 'door' } };
    await put(
      { ...mine('filesvc:file:*', 'EDIT', 'READ'), _user: user },
      { ...mine('filesvc:file:*', 'SHARE', 'READ'), _user: group },
      { ...mine('filesvc:file:1', 'DELETE'), _user: user },
      { ...mine('filesvc:file:1', '*'), _user: group },
      { ...mine('', 'READ'), _resourceDesc: door, _user: group },
    );
    const expected = [
      { _resourceDesc: { _irn: 'filesvc:file:*' }, _actions: ['READ', 'EDIT', 'SHARE'] },
      { _resourceDesc: { _irn: 'filesvc:file:1' }, _actions: ['*'] },
      { _resourceDesc: door, _actions: ['READ'] },
    ];
    const { body } = await effective(here.owner, MEMBER).expect(200);
    expect(body).toMatchObject({ _total: 3, _offset: 0, _list: expected });
    const page = await effective(here.owner, MEMBER, { _offset: 1, _pageSize: 1 }).expect(200);
    expect(page.body).toMatchObject({ _total: 3, _offset: 1, _list: [expected[1]] });
  });

  it('answers users about themselves, and others where the caller holds SHARE on everything', async () => {
    await put(mine('filesvc:file:*', 'READ', 'SHARE'));
    expect((await effective(here.ben, here.benId).expect(200)).body._total).toBe(1);
    await effective(here.ben, here.ownerId).expect(403);
    await effective(here.owner, here.benId, { _namespace: 'elsewhere_1' }).expect(403);
    await effective(await here.app.as('root', 'admin'), here.benId).expect(403);
    expect((await effective(here.ben, here.benId, { _namespace: 'elsewhere_1' }).expect(200)).body._list).toEqual([]);
  });
});
