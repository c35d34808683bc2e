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
  it('has 25 items in order of creation, or those of a page', async () => {
    const first = await list().expect(200);
    expect(first.body).toMatchObject({ _offset: 0, _pageSize: 25, _total: 30 });
    expect(names(first)).toEqual(Array.from({ length: 25 }, (_, n) => `item ${String(n).padStart(2, '0')}`));
    const pageOf = async (page: object) => (await list({ page }).expect(200)).body;
    const second = await pageOf({ _offset: 25, _pageSize: 10 });
    expect(second).toMatchObject({ _offset: 25, _pageSize: 10, _total: 30, _list: [{}, {}, {}, {}, {}] });
    expect(await pageOf({ _pageSize: 0 })).toEqual({ _offset: 0, _pageSize: 0, _total: 30, _list: [] });
    expect((await pageOf({ _offset: 1e15 }))._list).toEqual([]);
    expect(await pageOf({ _pageSize: 5e12 })).toMatchObject({ _pageSize: 1000, _total: 30 });
    expect((await pageOf({ _pageSize: '3' }))._list).toHaveLength(3);
    const alone = await app.api.get(ITEMS).query({ nsfilter: LISTS, _offset: 28, _pageSize: 5 }).set(owner);
    expect(alone.body).toMatchObject({ _offset: 28, _pageSize: 5, _total: 30, _list: [{}, {}] });
  });

  it('reports unknown names in the page, but not in the query', async () => {
    const asked = list({ page: { _pagesize: 1 }, query: { any: 1 } });
    const response = await asked.set('prefer', 'handling=strict').expect(400);
    const message = 'is unknown; did you mean `_pageSize`?';
    expect(response.body.errors).toEqual([{ location: 'query.page._pagesize', message }]);
  });

  it.each([
    ['NamedFileCollection', 10],
    [{ $in: ['NamedFileCollection', 'Script'] }, 10],
    [{ $ne: 'NamedFileCollection' }, 20],
  ])('counts the items whose class matches %j', async (_itemClass, total) => {
    expect((await list({ query: { _itemClass }, page: { _pageSize: 1 } })).body._total).toBe(total);
  });

  it('has no items of other namespaces, and no fields that only the stored form has', async () => {
    for (const [query, total] of [
      [{ $or: [{ _namespaces: NS }, { _id: { $exists: true } }] }, 30],
      [{ '_versions.all': true, '_versions._version': { $gte: 1 } }, 30],
      [{ '_versions.all': true, _namespaces: NS }, 0],
      [{ '_tip._version': 1 }, 0],
      [{ _home: LISTS }, 0],
    ] as const)
      expect([query, (await list({ query }).expect(200)).body._total]).toEqual([query, total]);
  });

  it.each([
    [{ query: { $text: { $search: 'item' } } }, 'TEXT_INDEX_MISSING'],
    [{ query: { '_versions.1._version': 1 } }, 'INVALID_QUERY'],
    [{ query: { _versions: 1 } }, 'INVALID_QUERY'],
  ])('is rejected for %j', async (parameters, code) => {
    expect((await list(parameters).expect(400)).body).toMatchObject({ status: 400, code });
  });
});
