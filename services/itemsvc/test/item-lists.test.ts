import { beforeAll, describe, expect, it } from '@jest/globals';
import { doors, itemClient, ITEMS } from './item-client.js';
import { NS, openApp } from './start-app.js';

const LISTS = 'lists_0a1b2c3d';

const here = await openApp(NS, LISTS);
const { app, owner } = here;
const { list, create } = itemClient(here, LISTS);
const names = (response: { body: { _list: { _name: string }[] } }) => response.body._list.map(({ _name }) => _name);

beforeAll(async () => {
  const items = Array.from({ length: 30 }, (_, n) =>
    doors({
      _name: `item ${String(n).padStart(2, '0')}`,
      _namespaces: [LISTS],
      _userType: n % 2 ? 'odd' : 'even',
      _itemClass: n < 10 ? 'NamedFileCollection' : 'NamedUserCollection',
      _version: { _userAttributes: { n, level: n % 3 } },
    }),
  );
  await create(items).expect(201);
  const elsewhere = [doors({ _name: 'item of another namespace', _itemClass: 'NamedFileCollection' })];
  await itemClient(here).create(elsewhere).expect(201);
});

describe('a list of items', () => {
  it('has 25 items in order of creation, and the total', async () => {
    const response = await list().expect(200);
    expect(response.body).toMatchObject({ _offset: 0, _pageSize: 25, _total: 30 });
    expect(names(response)).toEqual(Array.from({ length: 25 }, (_, n) => `item ${String(n).padStart(2, '0')}`));
  });

  it('has the page that the parameters select', async () => {
    const pageOf = async (page: object) => (await list({ page }).expect(200)).body;
    const second = await pageOf({ _offset: 25, _pageSize: 10 });
    expect(second).toMatchObject({ _offset: 25, _pageSize: 10, _total: 30 });
    expect(second._list).toHaveLength(5);
    expect(await pageOf({ _offset: 99 })).toMatchObject({ _offset: 99, _total: 30, _list: [] });
    expect(await pageOf({ _pageSize: 0 })).toEqual({ _offset: 0, _pageSize: 0, _total: 30, _list: [] });
    expect((await pageOf({ _offset: 1e15 }))._list).toEqual([]);
    expect(await pageOf({ _pageSize: 5e12 })).toMatchObject({ _pageSize: 1000, _total: 30 });
    expect((await pageOf({ _pageSize: '3' }))._list).toHaveLength(3);
    const alone = await app.api.get(ITEMS).query({ nsfilter: LISTS, _offset: 28, _pageSize: 5 }).set(owner);
    expect(alone.body).toMatchObject({ _offset: 28, _pageSize: 5, _total: 30 });
    expect(alone.body._list).toHaveLength(2);
  });

  it('reports unknown names in the page, but not in the query', async () => {
    const page = { _pagesize: 1, _offset: 29 };
    const { headers, body } = await list({ page, query: { any: 1 } }).expect(200);
    expect([headers.ignored, body._list]).toEqual(['_pagesize', []]);
    const response = await list({ page }).set('prefer', 'handling=strict').expect(400);
    const message = 'is unknown; did you mean `_pageSize`?';
    expect(response.body.errors).toEqual([{ location: 'query.page._pagesize', message }]);
    const known = list({ page: { _pageSize: 1 }, query: { any: 1 } });
    await known.set('prefer', 'handling=strict').expect(200);
  });

  it('is sorted and filtered by fields of items and of their latest version', async () => {
    const sort = { '_versions._userAttributes.level': -1, _name: -1 };
    expect(names(await list({ sort, page: { _pageSize: 3 } }))).toEqual(['item 29', 'item 26', 'item 23']);
    const query = { _userType: 'odd', '_versions._userAttributes.n': { $gte: 20 } };
    const response = await list({ query, page: { _pageSize: 2 } });
    expect(names(response)).toEqual(['item 21', 'item 23']);
    expect(response.body._total).toBe(5);
  });

  it.each([
    ['NamedFileCollection', 10],
    [{ $in: ['NamedFileCollection', 'Script'] }, 10],
    [{ $ne: 'NamedFileCollection' }, 20],
    ['Unknown', 0],
  ])('counts the items whose class matches %j', async (_itemClass, total) => {
    expect((await list({ query: { _itemClass }, page: { _pageSize: 1 } })).body._total).toBe(total);
  });

  it.each([
    { _namespaces: NS },
    { $or: [{ _namespaces: NS }, { _id: { $exists: true } }] },
    { $nor: [{ _namespaces: LISTS }] },
    { '_versions.all': true, '_versions._version': { $gte: 1 } },
    { '_versions.all': true, _namespaces: NS },
  ])('has no item of another namespace for the query %j', async (query) => {
    const { _list } = (await list({ query, page: { _pageSize: 1000 } }).expect(200)).body;
    for (const { _namespaces } of _list) expect(_namespaces).toEqual([LISTS]);
  });

  it('finds no item by a field that only the stored form has', async () => {
    expect((await list({ query: { '_tip._version': 1 } })).body._total).toBe(0);
    expect((await list({ query: { '_versions._version': 1 } })).body._total).toBe(30);
  });

  it.each([
    [{ query: { $text: { $search: 'item' } } }, 'TEXT_INDEX_MISSING'],
    [{ query: { '_versions.1._version': 1 } }, 'INVALID_QUERY'],
    [{ query: { _versions: 1 } }, 'INVALID_QUERY'],
    [{ project: { x: '$_namespaces' } }, 'INVALID_PROJECTION'],
    [{ sort: { _name: 'up' } }, 'INVALID_SORT'],
  ])('is rejected for %j', async (parameters, code) => {
    expect((await list(parameters).expect(400)).body).toMatchObject({ status: 400, code });
  });

  it.each(['query', 'project', 'page', 'sort'])('is rejected if %s is not JSON', async (name) => {
    const query = { nsfilter: LISTS, [name]: '{"a":' };
    const response = await app.api.get(ITEMS).query(query).set(owner).expect(400);
    const message = 'is not valid JSON (line 1, column 6)';
    expect(response.body.errors).toEqual([{ location: `query.${name}`, message }]);
  });

  it('is rejected for a sort order that MongoDB does not support', async () => {
    const _version = { _userAttributes: { p: [1, 2], q: [3, 4] } };
    await create([doors({ _namespaces: [LISTS], _name: 'arrays', _version })]).expect(201);
    const sort = { '_versions._userAttributes.p': 1, '_versions._userAttributes.q': 1 };
    const response = await list({ query: { _name: 'arrays' }, sort }).expect(400);
    expect(response.body.code).toBe('INVALID_QUERY');
  });
});
