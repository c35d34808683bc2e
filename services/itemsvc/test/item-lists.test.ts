import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { doors, itemClient, ITEMS, NS } from './item-client.js';
import { startApp } from './start-app.js';
import type { TestApp } from './start-app.js';

const LISTS = 'lists_0a1b2c3d';

describe('lists of named user items', () => {
  let app: TestApp;
  let owner: { authorization: string };
  const { list: lists } = itemClient(() => ({ app, owner }), LISTS);

  const names = (response: { body: { _list: { _name: string }[] } }) => response.body._list.map(({ _name }) => _name);

  beforeAll(async () => {
    app = await startApp();
    owner = await app.caller('olga', NS);
    await app.caller('olga', LISTS);
    const items = Array.from({ length: 30 }, (_, n) =>
      doors({
        _name: `item ${String(n).padStart(2, '0')}`,
        _namespaces: [LISTS],
        _userType: n % 2 ? 'odd' : 'even',
        _itemClass: n < 10 ? 'NamedFileCollection' : 'NamedUserCollection',
        _version: { _userAttributes: { n, level: n % 3 } },
      }),
    );
    await app.api.post(ITEMS).query({ nsfilter: LISTS }).set(owner).send(items).expect(201);
    const elsewhere = [doors({ _name: 'item of another namespace', _itemClass: 'NamedFileCollection' })];
    await app.api.post(ITEMS).query({ nsfilter: NS }).set(owner).send(elsewhere).expect(201);
  });
  afterAll(() => app.stop());

  it('give 25 in the order of creation, and the total', async () => {
    const response = await lists().expect(200);
    expect(response.body).toMatchObject({ _offset: 0, _pageSize: 25, _total: 30 });
    expect(names(response)).toEqual(Array.from({ length: 25 }, (_, n) => `item ${String(n).padStart(2, '0')}`));
  });

  it('page', async () => {
    const second = await lists({ page: { _offset: 25, _pageSize: 10 } });
    expect(second.body).toMatchObject({ _offset: 25, _pageSize: 10, _total: 30 });
    expect(second.body._list).toHaveLength(5);
    expect((await lists({ page: { _offset: 99 } })).body).toMatchObject({ _offset: 99, _total: 30, _list: [] });
    expect((await lists({ page: { _pageSize: 0 } })).body).toEqual({
      _offset: 0,
      _pageSize: 0,
      _total: 30,
      _list: [],
    });
    expect((await lists({ page: { _offset: 1e15 } })).body._list).toEqual([]);
    expect((await lists({ page: { _pageSize: 5e12 } })).body).toMatchObject({ _pageSize: 1000, _total: 30 });
    expect((await lists({ page: { _pageSize: '3' } })).body._list).toHaveLength(3);
    const alone = await app.api.get(ITEMS).query({ nsfilter: LISTS, _offset: 28, _pageSize: 5 }).set(owner);
    expect(alone.body).toMatchObject({ _offset: 28, _pageSize: 5, _total: 30 });
    expect(alone.body._list).toHaveLength(2);
  });

  it.each([{ _offset: -1 }, { _pageSize: -1 }, { _offset: 1.5 }, { _pageSize: 'ten' }, { _offset: null }, [], 7])(
    'refuse the page %j',
    async (page) => {
      await lists({ page }).expect(400);
    },
  );

  it('report unknown names in the page', async () => {
    const page = { _pagesize: 1, _offset: 29 };
    const { headers, body } = await lists({ page, query: { any: 1 } }).expect(200);
    expect([headers.ignored, body._list]).toEqual(['_pagesize', []]);
    const response = await lists({ page }).set('prefer', 'handling=strict').expect(400);
    const message = 'is unknown; did you mean `_pageSize`?';
    expect(response.body.errors).toEqual([{ location: 'query.page._pagesize', message }]);
    await lists({ page: { _pageSize: 1 }, query: { any: 1 } })
      .set('prefer', 'handling=strict')
      .expect(200);
  });

  it('sort by fields of items and of their latest version', async () => {
    const byLevel = await lists({
      sort: { '_versions._userAttributes.level': -1, _name: -1 },
      page: { _pageSize: 3 },
    });
    expect(names(byLevel)).toEqual(['item 29', 'item 26', 'item 23']);
  });

  it('filter, and count the matches', async () => {
    const response = await lists({
      query: { _userType: 'odd', '_versions._userAttributes.n': { $gte: 20 } },
      page: { _pageSize: 2 },
    });
    expect(names(response)).toEqual(['item 21', 'item 23']);
    expect(response.body._total).toBe(5);
  });

  it('count the items of one class', async () => {
    const ofClass = (_itemClass: unknown) => lists({ query: { _itemClass }, page: { _pageSize: 1 } });
    expect((await ofClass('NamedFileCollection')).body._total).toBe(10);
    expect((await ofClass({ $in: ['NamedFileCollection', 'Script'] })).body._total).toBe(10);
    expect((await ofClass({ $ne: 'NamedFileCollection' })).body._total).toBe(20);
    expect((await ofClass('Unknown')).body._total).toBe(0);
  });

  it('never reach beyond the namespace, whatever the query', async () => {
    for (const query of [
      { _namespaces: NS },
      { $or: [{ _namespaces: NS }, { _id: { $exists: true } }] },
      { $nor: [{ _namespaces: LISTS }] },
      { '_versions.all': true, '_versions._version': { $gte: 1 } },
      { '_versions.all': true, _namespaces: NS },
    ]) {
      const response = await lists({ query, page: { _pageSize: 1000 } }).expect(200);
      expect(
        response.body._list.every(({ _namespaces }: { _namespaces: string[] }) => _namespaces.includes(LISTS)),
      ).toBe(true);
    }
    expect((await lists({ query: { _namespaces: NS } })).body).toMatchObject({ _total: 0, _list: [] });
  });

  it('hide how items are stored', async () => {
    expect((await lists({ query: { '_tip._version': 1 } })).body._total).toBe(0);
    expect((await lists({ query: { '_versions._version': 1 } })).body._total).toBe(30);
  });

  it.each([
    [{ query: { $where: '1' } }, 'UNKNOWN_OPERATOR'],
    [{ query: { _name: { $regex: '(a+)+$' } } }, 'UNSAFE_REGULAR_EXPRESSION'],
    [{ query: { $text: { $search: 'item' } } }, 'TEXT_INDEX_MISSING'],
    [{ query: { '_versions.1._version': 1 } }, 'INVALID_QUERY'],
    [{ query: { _versions: 1 } }, 'INVALID_QUERY'],
    [{ query: [] }, 'INVALID_QUERY'],
    [{ project: { _name: 1, _kind: 0 } }, 'INVALID_PROJECTION'],
    [{ project: { x: '$_namespaces' } }, 'INVALID_PROJECTION'],
    [{ sort: { _name: 'up' } }, 'INVALID_SORT'],
  ])('refuse %j', async (parameters, code) => {
    const response = await lists(parameters).expect(400);
    expect(response.body).toMatchObject({ status: 400, code });
  });

  it.each(['query', 'project', 'page', 'sort'])('refuse a %s that is not JSON', async (name) => {
    const response = await app.api
      .get(ITEMS)
      .query({ nsfilter: LISTS, [name]: '{"a":' })
      .set(owner)
      .expect(400);
    const message = 'is not valid JSON (line 1, column 6)';
    expect(response.body.errors).toEqual([{ location: `query.${name}`, message }]);
  });

  it('refuse a repeated parameter, and a call without nsfilter', async () => {
    await app.api.get(`${ITEMS}?nsfilter=${LISTS}&query={}&query={}`).set(owner).expect(400);
    await app.api.get(ITEMS).set(owner).expect(400);
  });

  it('answer 400 to a sort that the database cannot do', async () => {
    await app.api
      .post(ITEMS)
      .query({ nsfilter: LISTS })
      .set(owner)
      .send([doors({ _namespaces: [LISTS], _name: 'arrays', _version: { _userAttributes: { p: [1, 2], q: [3, 4] } } })])
      .expect(201);
    const sort = { '_versions._userAttributes.p': 1, '_versions._userAttributes.q': 1 };
    const response = await lists({ query: { _name: 'arrays' }, sort }).expect(400);
    expect(response.body.code).toBe('INVALID_QUERY');
  });
});
