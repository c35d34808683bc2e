import { beforeAll, describe, expect, it } from '@jest/globals';
import { doors, itemClient } from './item-client.js';
import type { Shown } from './item-client.js';
import { NS, openApp, OTHER } from './start-app.js';

interface Row {
  _id: string;
  [field: string]: unknown;
}
interface Page {
  _total: number;
  _list: Found[];
}
/** A related item with those that are related to it. */
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
const { app } = here;
const { send, createOne, create, addRows, addVersion } = itemClient(here);
const search = (body: unknown, query: object = {}) => send('post', '/search', query).send(body as object);

describe('a search', () => {
  let walls: Shown;
  let types: Shown;
  let rooms: Shown;
  let wallRows: Row[];
  let typeRows: Row[];
  let roomRows: Row[];

  const found = async (body: object) => (await search(body).expect(200)).body as { _total: number; _list: Result[] };
  /** The related items of the first collection that a search found. */
  const rowsOf = async (body: object) => (await found(body))._list[0]!._versions[0]._relatedItems;

  beforeAll(async () => {
    [walls, types, rooms] = [
      await createOne({ _userType: 'walls', _version: { _userAttributes: { secret: 'of the version' } } }),
      await createOne({ _userType: 'types' }),
      await createOne({ _userType: 'rooms' }),
    ];
    typeRows = await addRows(types._id, [
      { name: 'brick', fire: 90 },
      { name: 'glass', fire: 30 },
      { name: 'wood', fire: 60 },
    ]);
    const named = (...rows: Row[]) => ({ _relatedUserItemDbId: types._id, _relatedToIds: rows.map(({ _id }) => _id) });
    const [brick, glass, wood] = typeRows as [Row, Row, Row];
    wallRows = await addRows(walls._id, [
      { name: 'north', color: 'red', tags: ['a', 'b'], _related: [named(brick, glass)] },
      { name: 'south', color: 'blue', tags: ['b'], size: { w: 2 }, _related: [named(glass), named(wood)] },
      { name: 'east', color: 'red', size: { w: 3 } },
    ]);
    const [north, south] = wallRows as [Row, Row];
    const around = (...rows: Row[]) => [{ _relatedUserItemDbId: walls._id, _relatedToIds: rows.map(({ _id }) => _id) }];
    roomRows = await addRows(rooms._id, [
      { name: 'hall', _related: around(north, south) },
      { name: 'attic', _related: around(south) },
      { name: 'cellar' },
    ]);
  });

  describe('with $findInCollections', () => {
    const inWalls = (more: object = {}) => ({
      $findInCollections: { collectionDesc: { _userType: 'walls' }, ...more },
    });

    it('show the collections, each with the related items that match', async () => {
      const body = await found(inWalls({ query: { color: 'red' } }));
      expect(body).toMatchObject({ _offset: 0, _pageSize: 1, _total: 1 });
      const item = body._list[0]!;
      expect(item).toMatchObject({ _id: walls._id, _userItemId: walls._userItemId, _userType: 'walls' });
      expect(item._versions).toEqual([
        {
          ...{ _id: walls._tipId, _userItemDbId: walls._id, _isTip: true, _version: 1, _metadata: expect.any(Object) },
          _relatedItems: { _offset: 0, _pageSize: 25, _total: 2, _list: [wallRows[0], wallRows[2]] },
        },
      ]);
    });

    it('in pages, sorted and projected', async () => {
      const options = { page: { _offset: 1, _pageSize: 1 }, sort: { name: -1 }, project: { name: 1, _id: 0 } };
      expect(await rowsOf(inWalls({ options }))).toEqual({
        ...{ _offset: 1, _pageSize: 1, _total: 3 },
        _list: [{ name: 'north' }],
      });
      expect(await rowsOf(inWalls({ options: { page: { _pageSize: 0 } } }))).toMatchObject({ _total: 3, _list: [] });
    });

    it('in several collections, found by any of their fields', async () => {
      const several = { _userType: { $in: ['walls', 'rooms'] }, _itemClass: 'NamedUserCollection' };
      const { _list } = await found({ $findInCollections: { collectionDesc: several, query: { name: 'hall' } } });
      expect(_list.map(({ _versions: [one] }) => [one._userItemDbId, one._relatedItems._total])).toEqual([
        [walls._id, 0],
        [rooms._id, 1],
      ]);
      const byId = { $findInCollections: { collectionDesc: { _userItemId: rooms._userItemId } } };
      expect(await rowsOf(byId)).toMatchObject({ _total: 3 });
      expect(await found({ $findInCollections: { collectionDesc: { _userType: 'none' } } })).toMatchObject({
        _total: 0,
        _list: [],
      });
    });

    it('in a given version', async () => {
      const plans: Shown = await createOne({ _userType: 'plans' });
      await addRows(plans._id, [{ step: 1 }]);
      await addVersion(plans._id);
      await addRows(plans._id, [{ step: 2 }]);
      const at = (_userItemVersionId?: string) => ({
        $findInCollections: { collectionDesc: { _userItemId: plans._userItemId, _userItemVersionId } },
      });
      expect((await rowsOf(at()))._list).toMatchObject([{ step: 2 }]);
      expect((await rowsOf(at(plans._tipId)))._list).toMatchObject([{ step: 1 }]);
      const { _versions } = (await found(at(plans._tipId)))._list[0]!;
      expect(_versions).toMatchObject([{ _id: plans._tipId, _version: 1, _isTip: false }]);
      expect(_versions[0]).not.toHaveProperty('_userAttributes');
      expect((await found(at('unknown')))._list).toEqual([]);
    });
  });

  describe('with $findWithRelated', () => {
    const typesOf = (more: object = {}, relation: object = {}, options: object = {}) => ({
      $findWithRelated: {
        parent: { collectionDesc: { _userType: 'walls' }, options: { sort: { name: 1 }, ...options }, ...more },
        related: [{ relatedDesc: { _relatedUserType: 'types' }, as: 'types', ...relation }],
      },
    });

    it('show with each item those that it names', async () => {
      const { _list, _total } = await rowsOf(typesOf());
      expect(_total).toBe(3);
      expect(_list.map(({ name, types: { _total: total, _list: rows } }) => [name, total, rows])).toEqual([
        ['east', 0, []],
        ['north', 2, [typeRows[0], typeRows[1]]],
        ['south', 2, [typeRows[1], typeRows[2]]],
      ]);
    });

    it('each in pages of its own, filtered, sorted and projected', async () => {
      const relation = {
        query: { fire: { $gte: 30 } },
        options: { sort: { fire: -1 }, project: { name: 1, _id: 0 }, page: { _pageSize: 1 } },
      };
      const { _list } = await rowsOf(typesOf({ query: { color: 'blue' } }, relation, { project: { name: 1, _id: 0 } }));
      expect(_list).toEqual([
        { name: 'south', types: { _offset: 0, _pageSize: 1, _total: 2, _list: [{ name: 'wood' }] } },
      ]);
    });

    it('or those that name it, with _isInverse', async () => {
      const relation = { relatedDesc: { _relatedUserType: 'rooms', _isInverse: true }, as: 'rooms' };
      const { _list } = await rowsOf(typesOf({}, relation));
      expect(_list.map(({ name, rooms: { _list: rows } }) => [name, rows])).toEqual([
        ['east', []],
        ['north', [roomRows[0]]],
        ['south', [roomRows[0], roomRows[1]]],
      ]);
    });

    it('several relations at once', async () => {
      const body = typesOf();
      body.$findWithRelated.related.push({
        relatedDesc: { _relatedUserType: 'rooms', _isInverse: true },
        as: 'rooms',
      } as never);
      const [, north] = (await rowsOf(body))._list;
      expect([north!.types._total, north!.rooms._total]).toEqual([2, 1]);
    });

    it('only in the collection that an item says', async () => {
      const other: Shown = await createOne({ _userType: 'types' });
      const [same] = await addRows(other._id, [{ name: 'other' }]);
      const lost: Shown = await createOne({ _userType: 'lost' });
      await addRows(lost._id, [
        { _related: [{ _relatedUserItemDbId: types._id, _relatedToIds: [same!._id] }] },
        { _related: [] },
      ]);
      const { _list } = await rowsOf(typesOf({ collectionDesc: { _userType: 'lost' } }));
      expect(_list.map(({ types: { _total } }) => _total)).toEqual([0, 0]);
      await send('delete', `/${other._id}`).expect(204);
    });
  });

  describe('with $distinctRelatedItemFields', () => {
    const distinct = (fields: string[], more: object = {}) => ({
      $distinctRelatedItemFields: { collectionDesc: { _userType: 'walls' }, fields, ...more },
    });

    it('show the values of fields, in their order', async () => {
      expect(await rowsOf(distinct(['color', 'tags', 'size.w', 'missing', '_itemId']))).toMatchObject({
        _total: 1,
        _list: [{ color: ['blue', 'red'], tags: ['a', 'b'], 'size.w': [2, 3], missing: [], _itemId: [] }],
      });
      expect((await rowsOf(distinct(['_id', '_metadata._updatedById'])))._list[0]).toMatchObject({
        _id: expect.arrayContaining([expect.stringMatching(/^[0-9a-f]{24}$/)]),
        '_metadata._updatedById': ['olga'],
      });
      expect((await rowsOf(distinct(['name'], { query: { color: 'red' } })))._list).toEqual([
        { name: ['east', 'north'] },
      ]);
    });

    it('up to 1000 of them', async () => {
      const many: Shown = await createOne({ _userType: 'many' });
      const rows = Array.from({ length: 1001 }, (_, n) => ({ n, half: n % 500 }));
      await addRows(many._id, rows.slice(0, 1000));
      await addRows(many._id, rows.slice(1000));
      const collectionDesc = { _userType: 'many' };
      expect((await search(distinct(['n'], { collectionDesc })).expect(400)).body.code).toBe('SEARCH_TOO_BROAD');
      expect((await rowsOf(distinct(['half'], { collectionDesc })))._list[0]).toHaveProperty('half.length', 500);
    });
  });

  it('leave out what the caller may not read', async () => {
    const elsewhere: Shown = await itemClient(here, OTHER).createOne(
      doors({ _namespaces: [OTHER], _userType: 'walls' }),
    );
    const all = { $findInCollections: { collectionDesc: { _itemClass: 'NamedUserCollection' } } };
    const ids = (body: { _list: Result[] }) => body._list.map(({ _id }) => _id);
    expect(ids(await found(all))).not.toContain(elsewhere._id);

    const nobody = await app.caller('stella', NS, ['*'], 'filesvc:file:*');
    expect((await search(all).set(nobody).expect(200)).body).toMatchObject({ _total: 0, _list: [] });
    const eve = await app.caller('eve', NS, ['READ'], `itemsvc:nameduseritem:${walls._id}`);
    expect(ids((await search(all).set(eve).expect(200)).body)).toEqual([walls._id]);
    const related = {
      $findWithRelated: {
        parent: { collectionDesc: { _userType: 'walls' } },
        related: [{ relatedDesc: { _relatedUserType: 'types' }, as: 'types' }],
      },
    };
    const [{ _versions }] = (await search(related).set(eve).expect(200)).body._list as [Result];
    const totals = _versions[0]._relatedItems._list.map(({ types: { _total } }) => _total);
    expect(totals).toEqual([0, 0, 0]);
    await search(all, { nsfilter: 'unknown_1' }).expect(403);
  });

  it('follow relations in both directions by indexes', async () => {
    const { db } = app.mongo;
    const beams: Shown = await createOne({ _userType: 'beams' });
    const link = { _relatedUserItemDbId: walls._id, _relatedToIds: [wallRows[0]!._id] };
    await addRows(
      beams._id,
      Array.from({ length: 1000 }, (_, n) => ({ n, _related: n === 7 ? [link] : [] })),
    );
    const related = [
      { relatedDesc: { _relatedUserType: 'types' }, as: 'types' },
      { relatedDesc: { _relatedUserType: 'beams', _isInverse: true }, as: 'beams' },
    ];
    await db.command({ profile: 2 });
    await found({ $findWithRelated: { parent: { collectionDesc: { _userType: 'walls' } }, related } });
    await db.command({ profile: 0 });
    const reads = await db.collection('system.profile').find({ op: 'command' }).toArray();
    await db.collection('system.profile').drop();
    const plans = reads
      .filter(({ ns }) => ns === `${db.databaseName}.related_items`)
      .map(({ planSummary }) => planSummary);
    expect(plans).toContainEqual(expect.stringContaining('_related._relatedToIds: 1'));
    expect(plans.filter((plan: string) => !plan.startsWith('IXSCAN'))).toEqual([]);
  });

  it('show at most 16 MiB', async () => {
    const names = ['one', 'two', 'three'];
    const created = await create(names.map(() => doors({ _userType: 'heavy' }))).expect(201);
    const text = 'x'.repeat(3 * 1024 * 1024);
    for (const one of created.body._list as Shown[]) await addRows(one._id, [{ text }, { text }]);
    const heavy = (options: object) => ({ $findInCollections: { collectionDesc: { _userType: 'heavy' }, options } });
    expect((await search(heavy({})).expect(400)).body.code).toBe('PAGE_TOO_LARGE');
    expect((await found(heavy({ project: { text: 0 } })))._total).toBe(3);
  });

  it('read at most 100 collections', async () => {
    const many = Array.from({ length: 101 }, () => doors({ _userType: 'crowd' }));
    await create(many).expect(201);
    const body = { $findInCollections: { collectionDesc: { _userType: 'crowd' } } };
    expect((await search(body).expect(400)).body.code).toBe('SEARCH_TOO_BROAD');
  });
});

describe('an invalid search', () => {
  const desc = { collectionDesc: { _userType: 'walls' } };
  const parent = { parent: desc };
  const relation = (more: object) => ({
    $findWithRelated: { ...parent, related: [{ relatedDesc: { _relatedUserType: 'types' }, as: 'x', ...more }] },
  });
  const $text = { $search: 'a' };

  it.each<[string, unknown, string]>([
    ['an unknown operator', { $where: {} }, '$where is not allowed.'],
    ['an operator of aggregations', { $findInCollections: desc, $lookup: {} }, '$lookup is not allowed.'],
    ['no operator', {}, '$findInCollections, $findWithRelated, $distinctRelatedItemFields'],
    ['two operators', { $findInCollections: desc, $distinctRelatedItemFields: { ...desc, fields: ['a'] } }, 'one of'],
    ['an empty description', { $findInCollections: { collectionDesc: {} } }, '$findInCollections.collectionDesc'],
    ['an operator in a description', { $findInCollections: { collectionDesc: { $expr: 1 } } }, '$expr is not allowed.'],
    ['an operator in a query', { $findInCollections: { ...desc, query: { a: { $function: 1 } } } }, '$function'],
    ['a text search without an index', { $findInCollections: { ...desc, query: { $text } } }, '$text'],
    ['a negative offset', { $findInCollections: { ...desc, options: { page: { _offset: -1 } } } }, 'page._offset'],
    ['an invalid sort order', { $findInCollections: { ...desc, options: { sort: { a: 2 } } } }, 'sort'],
    ['no parent', { $findWithRelated: { related: [] } }, '$findWithRelated.parent'],
    ['no relations', { $findWithRelated: { ...parent, related: [] } }, '$findWithRelated.related'],
    [
      '11 relations',
      { $findWithRelated: { ...parent, related: Array(11).fill(relation({}).$findWithRelated.related[0]) } },
      '$findWithRelated.related',
    ],
    ['a relation without a name', relation({ as: undefined }), '$findWithRelated.related.0.as'],
    ['a relation with a reserved name', relation({ as: '_id' }), '$findWithRelated.related.0.as'],
    ['a relation with a dollar in its name', relation({ as: 'a.$b' }), '$findWithRelated.related.0.as'],
    ['an operator in the query of a relation', relation({ query: { $where: '1' } }), '$where is not allowed.'],
    ['a text search in a relation', relation({ query: { $and: [{ $text }] } }), '$text is not allowed in this place.'],
    ['a relation to no type', relation({ relatedDesc: {} }), 'relatedDesc._relatedUserType is required'],
    ['no fields', { $distinctRelatedItemFields: { ...desc, fields: [] } }, '$distinctRelatedItemFields.fields'],
    ['an operator as a field', { $distinctRelatedItemFields: { ...desc, fields: ['$where'] } }, 'projection'],
  ])('is rejected for %s', async (_what, body, named) => {
    await createOne({ _userType: 'walls' });
    const response = await search(body).expect(400);
    const { code, message, errors = [] } = response.body;
    const details = errors.map((one: Record<string, string>) => `${one.location} ${one.message}`);
    expect([code, message, ...details].join('\n')).toContain(named);
  });
});
