import { describe, expect, it } from '@jest/globals';
import { doors, itemClient } from './item-client.js';
import type { Shown } from './item-client.js';
import { NS, openApp, OTHER } from './start-app.js';
import type { Caller } from './start-app.js';

interface Row {
  _id: string;
  [field: string]: unknown;
}
interface Page {
  _total: number;
  _list: Found[];
}
/** A related item with the items that are related to it. */
interface Found {
  name: string;
  types: Page;
  rooms: Page;
}
interface Result {
  _id: string;
  _versions: [{ _userItemDbId: string; _relatedItems: Page }];
}

const here = await openApp(NS, OTHER);
const { app, owner } = here;
const { send, createOne, create, addRows, addVersion } = itemClient(here);
const search = (body: object, by = owner, query: object = {}) => send('post', '/search', query, by).send(body);
const found = async (body: object, by?: Caller) =>
  (await search(body, by).expect(200)).body as { _total: number; _list: Result[] };
/** The related items of the first collection that a search finds. */
const rowsOf = async (body: object, by?: Caller) => (await found(body, by))._list[0]!._versions[0]._relatedItems;
const codeOf = async (body: object) => (await search(body).expect(400)).body.code;

const _version = { _userAttributes: { secret: 'of the version' } };
const walls: Shown = await createOne({ _userType: 'walls', _version });
const types: Shown = await createOne({ _userType: 'types' });
const rooms: Shown = await createOne({ _userType: 'rooms' });
const linkTo = (item: Shown, ...rows: { _id: string }[]) => ({
  _relatedUserItemDbId: item._id,
  _relatedToIds: rows.map(({ _id }) => _id),
});
const [brick, glass, wood]: [Row, Row, Row] = await addRows(types._id, [
  { name: 'brick', fire: 90 },
  { name: 'glass', fire: 30 },
  { name: 'wood', fire: 60 },
]);
const [north, south, east]: [Row, Row, Row] = await addRows(walls._id, [
  { name: 'north', color: 'red', tags: ['a', 'b'], _related: [linkTo(types, brick, glass)] },
  { name: 'south', color: 'blue', tags: ['b'], size: { w: 2 }, _related: [linkTo(types, glass), linkTo(types, wood)] },
  { name: 'east', color: 'red', size: { w: 3 } },
]);
const [hall, attic]: [Row, Row] = await addRows(rooms._id, [
  { name: 'hall', _related: [linkTo(walls, north, south)] },
  { name: 'attic', _related: [linkTo(walls, south)] },
  { name: 'cellar' },
]);

const findIn = (collectionDesc: object, more: object = {}) => ({ $findInCollections: { collectionDesc, ...more } });
const toTypes = { relatedDesc: { _relatedUserType: 'types' }, as: 'types' };
const fromRooms = { relatedDesc: { _relatedUserType: 'rooms', _isInverse: true }, as: 'rooms' };
const findRelated = (related: object[], more: object = {}, options: object = {}) => {
  const parent = { collectionDesc: { _userType: 'walls' }, options: { sort: { name: 1 }, ...options }, ...more };
  return { $findWithRelated: { parent, related } };
};
const distinct = (fields: string[], more: object = {}) => ({
  $distinctRelatedItemFields: { collectionDesc: { _userType: 'walls' }, fields, ...more },
});

describe('$findInCollections', () => {
  const inWalls = (more: object) => rowsOf(findIn({ _userType: 'walls' }, more));

  it('finds the collections, each with the related items that match', async () => {
    const body = await found(findIn({ _userType: 'walls' }, { query: { color: 'red' } }));
    expect(body).toMatchObject({ _offset: 0, _pageSize: 1, _total: 1 });
    const [item] = body._list;
    expect(item).toMatchObject({ _id: walls._id, _userItemId: walls._userItemId, _userType: 'walls' });
    const { _id, _tipId } = walls;
    const _relatedItems = { _offset: 0, _pageSize: 25, _total: 2, _list: [north, east] };
    expect(item!._versions).toEqual([
      { _id: _tipId, _userItemDbId: _id, _isTip: true, _version: 1, _metadata: expect.any(Object), _relatedItems },
    ]);
  });

  it('sorts, projects and pages the related items', async () => {
    const options = { page: { _offset: 1, _pageSize: 1 }, sort: { name: -1 }, project: { name: 1, _id: 0 } };
    expect(await inWalls({ options })).toEqual({ _offset: 1, _pageSize: 1, _total: 3, _list: [{ name: 'north' }] });
    expect(await inWalls({ options: { page: { _pageSize: 0 } } })).toMatchObject({ _total: 3, _list: [] });
  });

  it('finds several collections by any of their fields', async () => {
    const several = { _userType: { $in: ['walls', 'rooms'] }, _itemClass: 'NamedUserCollection' };
    const { _list } = await found(findIn(several, { query: { name: 'hall' } }));
    const totals = _list.map(({ _versions: [one] }) => [one._userItemDbId, one._relatedItems._total]);
    expect(totals).toEqual([
      [walls._id, 0],
      [rooms._id, 1],
    ]);
    expect(await rowsOf(findIn({ _userItemId: rooms._userItemId }))).toMatchObject({ _total: 3 });
    expect(await found(findIn({ _userType: 'none' }))).toMatchObject({ _total: 0, _list: [] });
  });

  it('finds the related items of a version, without its data', async () => {
    const plans: Shown = await createOne({ _userType: 'plans' });
    await addRows(plans._id, [{ step: 1 }]);
    await addVersion(plans._id);
    await addRows(plans._id, [{ step: 2 }]);
    const at = (_userItemVersionId?: string) => findIn({ _userItemId: plans._userItemId, _userItemVersionId });
    expect((await rowsOf(at()))._list).toMatchObject([{ step: 2 }]);
    expect((await rowsOf(at(plans._tipId)))._list).toMatchObject([{ step: 1 }]);
    const { _versions } = (await found(at(plans._tipId)))._list[0]!;
    expect(_versions).toMatchObject([{ _id: plans._tipId, _version: 1, _isTip: false }]);
    expect(_versions[0]).not.toHaveProperty('_userAttributes');
    expect((await found(at('unknown')))._list).toEqual([]);
  });
});

describe('$findWithRelated', () => {
  it('adds the items that each item names, and those that name it with _isInverse', async () => {
    const { _list, _total } = await rowsOf(findRelated([toTypes, fromRooms]));
    expect(_total).toBe(3);
    expect(_list.map((one) => [one.name, one.types._total, one.types._list, one.rooms._list])).toEqual([
      ['east', 0, [], []],
      ['north', 2, [brick, glass], [hall]],
      ['south', 2, [glass, wood], [hall, attic]],
    ]);
  });

  it('filters, sorts, projects and pages each relation', async () => {
    const project = { name: 1, _id: 0 };
    const options = { sort: { fire: -1 }, project, page: { _pageSize: 1 } };
    const relation = { ...toTypes, query: { fire: { $gte: 30 } }, options };
    const { _list } = await rowsOf(findRelated([relation], { query: { color: 'blue' } }, { project }));
    const page = { _offset: 0, _pageSize: 1, _total: 2, _list: [{ name: 'wood' }] };
    expect(_list).toEqual([{ name: 'south', types: page }]);
  });

  it('adds only items of the collection that a relation names', async () => {
    const other: Shown = await createOne({ _userType: 'types' });
    const [same] = await addRows(other._id, [{ name: 'other' }]);
    const lost: Shown = await createOne({ _userType: 'lost' });
    await addRows(lost._id, [{ _related: [linkTo(types, same)] }, { _related: [] }]);
    const { _list } = await rowsOf(findRelated([toTypes], { collectionDesc: { _userType: 'lost' } }));
    expect(_list.map(({ types: { _total } }) => _total)).toEqual([0, 0]);
    await send('delete', `/${other._id}`).expect(204);
  });

  it('follows relations in both directions by indexes', async () => {
    const beams: Shown = await createOne({ _userType: 'beams' });
    const many = Array.from({ length: 1000 }, (_, n) => ({ n, _related: n === 7 ? [linkTo(walls, north)] : [] }));
    await addRows(beams._id, many);
    const fromBeams = { relatedDesc: { _relatedUserType: 'beams', _isInverse: true }, as: 'beams' };
    const reads = await app.profile(['related_items'], () => found(findRelated([toTypes, fromBeams])));
    const plans = reads.map(({ planSummary }) => planSummary!);
    expect(plans).toContainEqual(expect.stringContaining('_related._relatedToIds: 1'));
    expect(plans.filter((plan) => !plan.startsWith('IXSCAN'))).toEqual([]);
  });
});

describe('$distinctRelatedItemFields', () => {
  it('returns the sorted values of fields', async () => {
    const values = async (...call: Parameters<typeof distinct>) => (await rowsOf(distinct(...call)))._list;
    expect(await values(['color', 'tags', 'size.w', 'missing', '_itemId'])).toEqual([
      { color: ['blue', 'red'], tags: ['a', 'b'], 'size.w': [2, 3], missing: [], _itemId: [] },
    ]);
    expect(await values(['_id', '_metadata._updatedById'])).toEqual([
      { _id: [north._id, south._id, east._id].sort(), '_metadata._updatedById': ['olga'] },
    ]);
    expect(await values(['name'], { query: { color: 'red' } })).toEqual([{ name: ['east', 'north'] }]);
  });

  it('returns at most 1000 values', async () => {
    const many: Shown = await createOne({ _userType: 'many' });
    const rows = Array.from({ length: 1001 }, (_, n) => ({ n, half: n % 500 }));
    await addRows(many._id, rows.slice(0, 1000));
    await addRows(many._id, rows.slice(1000));
    const collectionDesc = { _userType: 'many' };
    expect(await codeOf(distinct(['n'], { collectionDesc }))).toBe('SEARCH_TOO_BROAD');
    expect((await rowsOf(distinct(['half'], { collectionDesc })))._list[0]).toHaveProperty('half.length', 500);
  });
});

describe('a search', () => {
  it('leaves out what the caller may not read', async () => {
    const draft = { _namespaces: [OTHER], _userType: 'walls' };
    const elsewhere: Shown = await itemClient(here, OTHER).createOne(draft);
    const all = findIn({ _itemClass: 'NamedUserCollection' });
    const ids = async (by?: Caller) => (await found(all, by))._list.map(({ _id }) => _id);
    expect(await ids()).not.toContain(elsewhere._id);
    const nobody = await app.caller('stella', NS, ['*'], 'filesvc:file:*');
    expect(await found(all, nobody)).toMatchObject({ _total: 0, _list: [] });
    const eve = await app.caller('eve', NS, ['READ'], walls._irn);
    expect(await ids(eve)).toEqual([walls._id]);
    const { _list } = await rowsOf(findRelated([toTypes]), eve);
    expect(_list.map(({ types: { _total } }) => _total)).toEqual([0, 0, 0]);
    await search(all, owner, { nsfilter: 'unknown_1' }).expect(403);
  });

  it('returns at most 16 MiB', async () => {
    const text = 'x'.repeat(3 * 1024 * 1024);
    const created = await create([1, 2, 3].map(() => doors({ _userType: 'heavy' }))).expect(201);
    for (const one of created.body._list as Shown[]) await addRows(one._id, [{ text }, { text }]);
    const heavy = (options: object) => findIn({ _userType: 'heavy' }, { options });
    expect(await codeOf(heavy({}))).toBe('PAGE_TOO_LARGE');
    expect((await found(heavy({ project: { text: 0 } })))._total).toBe(3);
  });

  it('reads at most 100 collections', async () => {
    await create(Array.from({ length: 101 }, () => doors({ _userType: 'crowd' }))).expect(201);
    expect(await codeOf(findIn({ _userType: 'crowd' }))).toBe('SEARCH_TOO_BROAD');
  });
});

describe('an invalid search', () => {
  const desc = { collectionDesc: { _userType: 'walls' } };
  const parent = { parent: desc };
  const relation = (more: object) => ({
    $findWithRelated: { ...parent, related: [{ relatedDesc: { _relatedUserType: 'types' }, as: 'x', ...more }] },
  });
  const $text = { $search: 'a' };

  it.each<[string, object, string]>([
    ['an unknown operator', { $where: {} }, '$where is not allowed.'],
    ['no operator', {}, '$findInCollections, $findWithRelated, $distinctRelatedItemFields'],
    ['two operators', { $findInCollections: desc, $distinctRelatedItemFields: { ...desc, fields: ['a'] } }, 'one of'],
    ['an empty description', { $findInCollections: { collectionDesc: {} } }, '$findInCollections.collectionDesc'],
    ['an operator in a description', { $findInCollections: { collectionDesc: { $expr: 1 } } }, '$expr is not allowed.'],
    ['an operator in a query', { $findInCollections: { ...desc, query: { a: { $function: 1 } } } }, '$function'],
    ['an invalid sort order', { $findInCollections: { ...desc, options: { sort: { a: 2 } } } }, 'sort'],
    ['no relations', { $findWithRelated: { ...parent, related: [] } }, '$findWithRelated.related'],
    ['a relation without a name', relation({ as: undefined }), '$findWithRelated.related.0.as'],
    ['a relation with a reserved name', relation({ as: '_id' }), '$findWithRelated.related.0.as'],
    ['a relation with a dollar in its name', relation({ as: 'a.$b' }), '$findWithRelated.related.0.as'],
    ['a text search in a relation', relation({ query: { $and: [{ $text }] } }), '$text is not allowed here.'],
    ['no fields', { $distinctRelatedItemFields: { ...desc, fields: [] } }, '$distinctRelatedItemFields.fields'],
  ])('is rejected for %s', async (_what, body, named) => {
    const response = await search(body).expect(400);
    const { code, message, errors = [] } = response.body;
    const details = errors.map((one: Record<string, string>) => `${one.location} ${one.message}`);
    expect([code, message, ...details].join('\n')).toContain(named);
  });
});
