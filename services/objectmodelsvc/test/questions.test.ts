import { beforeEach, describe, expect, it } from '@jest/globals';
import { permissionAnswers } from '@dtplatform/testing';
import { setUpNamespaces } from './permission-client.js';
import { entryFor, PERMISSIONS } from './start-app.js';
import type { Entry } from './start-app.js';

const namespaces = setUpNamespaces();

describe('permission checks', () => {
  const { here, ...client } = namespaces;
  const put = async (...entries: Entry[]) =>
    (await client.put(here.platform, entries))._list._success.map(({ _id }) => _id);
  const mine = (_irn: string, ..._actions: string[]) => entryFor(here.benId, here.namespace, _irn, ..._actions);

  const MEMBER = '0123456789abcdef01234567';
  async function groupOfMember(): Promise<string> {
    const id = 'abcdefabcdefabcdefabcdef';
    const members = { _revision: Date.now(), _memberIds: [MEMBER], _namespaces: [], _deleted: false };
    const put = here.app.api.put(`${PERMISSIONS}/usergroups/${id}`).set({ authorization: here.platform });
    await put.send(members).expect(200);
    return id;
  }

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

    it('names the permissions that allow it or do not suffice', async () => {
      const [all, one] = await put(mine('itemsvc:*:*', 'READ'), mine('itemsvc:nameduseritem:1', 'READ', 'EDIT'));
      const other = [{ _irn: 'filesvc:file:1' }, { _namespace: 'elsewhere_1' }];
      const answers = await check(here.ben, {}, { _action: 'EDIT' }, { _action: 'DELETE' }, { _action: '*' }, ...other);
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
      const _user = { _type: 'usergroup', _id: await groupOfMember() };
      const [id] = await put({ ...mine('itemsvc:*:*', 'READ'), _user });
      const [answer] = await check(here.platform, { _user: { _type: 'user', _id: MEMBER } });
      expect(answer).toEqual({ _allowed: true, _code: 'GRANTED', _permissionIds: [id] });
    });

    it('compares criteria with the given fields', async () => {
      const _resourceDesc = { _irn: 'itemsvc:*:*', _criteria: { _userType: 'door' } };
      const [id] = await put({ ...mine('', 'READ'), _resourceDesc });
      const fields = [{ _userType: 'door' }, { _userType: 'window' }, undefined];
      const answers = await check(here.ben, ...fields.map((_resource) => ({ _resource })));
      expect(answers).toEqual([
        { _allowed: true, _code: 'GRANTED', _permissionIds: [id] },
        { _allowed: false, _code: 'NOT_ALL', _permissionIds: [id] },
        { _allowed: false, _code: 'NOT_ALL', _permissionIds: [id] },
      ]);
    });
  });

  describe('GET /permissions/holders', () => {
    const holders = (authorization: string, irn: string, query: object = {}) =>
      here.app.api
        .get(`${PERMISSIONS}/holders`)
        .set({ authorization })
        .query({ _namespace: here.namespace, '_resourceDesc._irn': irn, ...query });

    it('lists the permissions that cover the resource, of users and groups, to callers with SHARE on it', async () => {
      const _user = { _type: 'usergroup', _id: await groupOfMember() };
      const group = { ...mine('itemsvc:nameduseritem:*', 'EDIT'), _user };
      const covering = [mine('*:*:*', 'READ'), group, mine('itemsvc:nameduseritem:1', 'SHARE')];
      const user = entryFor('carl', here.namespace, 'itemsvc:nameduseritem:1', 'READ');
      await put(...covering, user, mine('itemsvc:nameduseritem:2', 'READ'), mine('filesvc:*:*', 'READ'));
      const { body } = await holders(here.ben, 'itemsvc:nameduseritem:1').expect(200);
      const owner = entryFor(here.ownerId, here.namespace, '*:*:*', '*');
      expect(body._list).toMatchObject([owner, ...covering, user]);
      const page = await holders(here.ben, 'itemsvc:nameduseritem:1', { _offset: 2, _pageSize: 1 }).expect(200);
      expect(page.body).toMatchObject({ _total: 5, _list: [group] });
      const exact = await holders(here.ben, 'itemsvc:nameduseritem:1', { scope: 'exact' }).expect(200);
      expect(exact.body._list).toMatchObject([covering[2], user]);
      expect((await holders(here.ben, 'itemsvc:nameduseritem:2').expect(403)).body.code).toBe('MAY_NOT_ASK');
      expect((await holders(here.ben, 'itemsvc:nameduseritem:*').expect(403)).body.code).toBe('MAY_NOT_ASK');
    });

    it('lists those on parts of a pattern, too, to callers with SHARE on all of it', async () => {
      const parts = [mine('itemsvc:nameduseritem:1', 'READ'), mine('itemsvc:nameduseritem:2', 'READ')];
      await put(mine('itemsvc:nameduseritem:*', 'SHARE'), ...parts, mine('itemsvc:script:1', 'READ'));
      const ofItems = await holders(here.ben, 'itemsvc:nameduseritem:*', { scope: 'all' }).expect(200);
      const owner = entryFor(here.ownerId, here.namespace, '*:*:*', '*');
      expect(ofItems.body._list).toMatchObject([owner, mine('itemsvc:nameduseritem:*', 'SHARE'), ...parts]);
      await holders(here.ben, '*:*:*', { scope: 'all' }).expect(403);
    });
  });

  describe('GET /permissions/effective', () => {
    const effective = (authorization: string, userId: string, query: object = {}) =>
      here.app.api
        .get(`${PERMISSIONS}/effective`)
        .set({ authorization })
        .query({ _namespace: here.namespace, '_user._id': userId, ...query });

    it('merges the permissions of a user and its groups, by resource', async () => {
      const group = { _type: 'usergroup', _id: await groupOfMember() };
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

    it('is open to users about themselves, and about others with SHARE on everything', async () => {
      await put(mine('filesvc:file:*', 'READ', 'SHARE'));
      expect((await effective(here.ben, here.benId).expect(200)).body._total).toBe(1);
      await effective(here.ben, here.ownerId).expect(403);
      await effective(here.owner, here.benId, { _namespace: 'elsewhere_1' }).expect(403);
      expect((await effective(here.ben, here.benId, { _namespace: 'elsewhere_1' }).expect(200)).body._list).toEqual([]);
    });
  });
});

describe('decisions', () => {
  const { here, put } = namespaces;
  beforeEach(() =>
    put(here.platform, [
      entryFor(here.benId, here.namespace, 'filesvc:file:*', 'READ', 'EDIT'),
      entryFor(here.benId, here.namespace, 'filesvc:file:7', 'SHARE'),
    ]),
  );

  const question = (_action: string, _irn: string, userId = here.benId, _namespace = here.namespace) => ({
    _user: { _type: 'user', _id: userId },
    _action,
    _irn,
    _namespace,
  });
  const check = (authorization: string, questions: unknown, path = '') =>
    here.app.api
      .post(`${PERMISSIONS}/check${path}`)
      .set({ authorization })
      .send(questions as object);

  describe('POST /permissions/check', () => {
    it('returns each check with its result, in the same order', async () => {
      const questions = [
        { ...question('READ', 'filesvc:file:1'), _resource: { _userType: 'door' } },
        question('DELETE', 'filesvc:file:1'),
        question('SHARE', 'filesvc:file:7'),
        question('*', 'filesvc:file:7'),
        question('READ', 'filesvc:file:*'),
        question('READ', 'filesvc:*:1'),
        question('READ', 'filesvc:file:1', here.benId, 'elsewhere_1'),
        question('READ', 'filesvc:file:1', 'nobody'),
        { ...question('READ', 'filesvc:file:1'), _user: { _type: 'usergroup', _id: here.benId } },
      ];
      const response = await check(here.platform, questions).expect(200);
      const expected = [true, false, true, false, true, false, false, false, false];
      expect(response.body).toEqual({ _list: questions.map((asked, n) => ({ ...asked, _allowed: expected[n] })) });
    });

    it('accepts a thousand checks about a hundred users, but no more', async () => {
      const users = Array.from({ length: 100 }, (_, n) => `user-${n}-${here.namespace}`);
      const entries = users.map((userId, n) => entryFor(userId, here.namespace, `filesvc:file:${n}`, 'READ'));
      await put(here.platform, entries);
      const questions = Array.from({ length: 1000 }, (_, n) =>
        question('READ', `filesvc:file:${n % 7}`, users[n % 100]),
      );
      const response = await check(here.platform, questions).expect(200);
      const answers = (response.body._list as { _allowed: boolean }[]).map(({ _allowed }) => _allowed);
      expect(answers).toEqual(questions.map((_, n) => n % 100 === n % 7));
      await check(here.platform, [...questions, question('READ', 'filesvc:file:1')]).expect(400);
    });

    it('rejects checks in more than 100 namespaces', async () => {
      const questions = Array.from({ length: 101 }, (_, n) =>
        question('READ', 'filesvc:file:1', here.benId, `ns_${n}`),
      );
      expect((await check(here.ben, questions).expect(400)).body.errors).toMatchObject([{ location: 'body' }]);
      await check(here.ben, [...questions.slice(1), ...questions.slice(1)]).expect(200);
    });

    it('accepts checks about others with SHARE, and otherwise rejects the request', async () => {
      const response = await check(here.ben, [question('READ', 'filesvc:file:7', 'carl')]).expect(200);
      expect(response.body._list).toMatchObject([{ _allowed: false }]);
      const mixed = [question('READ', 'filesvc:file:1'), question('READ', 'filesvc:file:1', 'carl')];
      for (const path of ['', '?reasons=true'])
        expect((await check(here.ben, mixed, path).expect(403)).body.code).toBe('MAY_NOT_ASK');
    });
  });
});

describe('the fake of this service', () => {
  const { here, put, list } = namespaces;

  /** Ids and times differ in each run. */
  const withoutChance = (response: unknown): unknown =>
    JSON.parse(JSON.stringify(response), (key, value: unknown) => {
      if (key === '_id' && /^[0-9a-f]{24}$/.test(String(value))) return 'an id';
      return key === '_createdAt' || key === '_updatedAt' ? typeof value : value;
    });

  it('responds as this service does', async () => {
    const entry = entryFor('ben', here.namespace, 'filesvc:file:*', 'READ');
    const standIn = permissionAnswers(entry);
    await put(here.platform, [entryFor('olga', here.namespace, '*:*:*', '*')]);
    const olga = await here.app.as('olga');
    expect(withoutChance(await put(olga, [entry]))).toEqual(withoutChance(standIn[`PUT ${PERMISSIONS}`]));
    const listed = await list(olga, 'ben', here.namespace, { '_resourceDesc._irn': 'filesvc:file:*' }).expect(200);
    expect(withoutChance(listed.body)).toEqual(withoutChance(standIn[`GET ${PERMISSIONS}`]));
  });
});
