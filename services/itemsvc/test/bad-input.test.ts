import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { REFUSED_JSON } from '@dtplatform/testing';
import { mapQueryErrors } from '../src/query/filters.store.js';
import { createSearchStore } from '../src/search/search.store.js';
import { createVersionReads } from '../src/versions/version-reads.store.js';
import { asJson, itemClient } from './item-client.js';
import type { Shown } from './item-client.js';
import { NS, openApp } from './start-app.js';

const numRuns = 60;

const operator = fc.constantFrom(
  ...['$eq', '$ne', '$gt', '$in', '$nin', '$exists', '$type', '$all', '$elemMatch', '$size', '$mod', '$regex'],
  ...['$options', '$and', '$or', '$nor', '$not', '$text', '$search', '$where', '$expr', '$slice', '$meta', '$ref'],
);
const field = fc.constantFrom(
  ...['_name', '_versions', '_versions.all', '_versions.0', '_versions.a', '_id', 'a.b', 'a..b', '', '$', '0'],
  '__proto__',
);
const garbage = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom<unknown>(null, true, 0, 1, -1, 1.5, 1e300, '', 'a', '(', '\0', '$where'),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.oneof(operator, field, fc.string({ maxLength: 4 })), tie('value'), { maxKeys: 3 }),
  ),
})).value;

const here = await openApp(NS);
const { app } = here;
const { send, sendText, createOne, addRows, get } = itemClient(here);
const _version = { _userAttributes: { a: { b: [1, 'x', null] } } };
const item: Shown = await createOne({ _version });
const composite: Shown = await createOne({ _itemClass: 'NamedCompositeItem', _version });
await addRows(item._id, [{ a: 1 }]);

describe('any input', () => {
  const expectResult = ({ status, body }: { status: number; body: unknown }) => {
    if (status === 200) return;
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(500);
    const text = expect.any(String);
    expect(body).toMatchObject({ status, code: text, message: text, requestId: text });
  };

  it('in parameters of lists gets a list or an error in the common format', async () => {
    const own = [`/${item._id}/versions`, `/${item._id}/relateditems`, `/${item._id}/updatelogs`];
    const paths = fc.constantFrom('', ...own, `/${composite._id}/relatedcollections`);
    const names = fc.constantFrom('query', 'project', 'sort', 'page', 'userItemVersionId');
    const parameters = fc.dictionary(names, garbage, { minKeys: 1, maxKeys: 2 });
    const property = fc.asyncProperty(paths, parameters, async (path, values) =>
      expectResult(await send('get', path, asJson(values))),
    );
    await fc.assert(property, { numRuns });
  });

  it('in searches gets a page or an error in the common format', async () => {
    const operators = fc.constantFrom('$findInCollections', '$findWithRelated', '$distinctRelatedItemFields', '$where');
    const known = { collectionDesc: { _itemClass: 'NamedUserCollection' } };
    const wanted = fc.record({ query: garbage, options: garbage, fields: garbage, as: garbage }, { requiredKeys: [] });
    const part = fc.tuple(wanted, garbage, fc.boolean()).map(([more, desc, isGarbage]) => ({
      ...more,
      ...(isGarbage ? { collectionDesc: desc } : known),
      parent: known,
      related: [{ relatedDesc: isGarbage ? desc : { _relatedUserType: 'a' }, as: 'x', ...more }],
    }));
    const property = fc.asyncProperty(operators, part, async (name, search) =>
      expectResult(await sendText('post', '/search', JSON.stringify({ [name]: search }))),
    );
    await fc.assert(property, { numRuns });
  });
});

describe('every list', () => {
  it.each<[string, string, string]>([
    ['query', '{"a":{"$not":{"$elemMatch":{"$expr":1}}}}', 'UNKNOWN_OPERATOR'],
    ['query', '{"__proto__":{"a":1}}', 'BAD_REQUEST'],
    ['sort', '{"$a":1}', 'INVALID_SORT'],
    ['project', '{"a":{"$slice":1}}', 'INVALID_PROJECTION'],
    ['page', '{"_offset":-1}', 'BAD_REQUEST'],
    ['page', '{"_pageSize":1.5}', 'BAD_REQUEST'],
  ])('rejects the %s %s', async (name, json, code) => {
    const own = [`/${item._id}/versions`, `/${item._id}/relateditems`];
    for (const path of ['', ...own, `/${composite._id}/relatedcollections`]) {
      const { status, body } = await send('get', path, { query: '{}', [name]: json });
      expect([path, status, body.code]).toEqual([path, 400, code]);
    }
  });

  it.each(['query', 'project', 'sort', 'page'])(
    'reports the position in %s of what is not JSON or cannot be stored',
    async (name) => {
      const errorsOf = async (json: string) => (await send('get', '', { [name]: json }).expect(400)).body.errors;
      const location = `query.${name}`;
      expect(await errorsOf('{"a":')).toEqual([{ location, message: 'is not valid JSON (line 1, column 6)' }]);
      const message = expect.stringMatching(/^has .*: \$or\[1\]\.a$/);
      expect(await errorsOf('{"$or": [{"b": 1}, {"a": 1e999}]}')).toEqual([{ location, message }]);
    },
  );
});

describe('names', () => {
  it('with dots and dollars are rejected in attributes, and reserved ones everywhere', async () => {
    const path = `/${item._id}/versions`;
    const _userAttributes = { constructor: { prototype: 1 }, '': 0, price$: 1 };
    const _userData = { 'a.b': 1, $set: { $where: 'x' }, ..._userAttributes };
    const added = await send('post', path).send({ _userAttributes, _userData }).expect(201);
    expect(added.body).toMatchObject({ _userAttributes, _userData });
    expect((await get(`${item._id}/versions/${added.body._id}`).expect(200)).body).toEqual(added.body);
    for (const wrong of [{ 'a.b': 1 }, { $where: 'x' }, { a: { b: [{ $set: 1 }] } }]) {
      const rejected = await send('post', path).send({ _userAttributes: wrong }).expect(400);
      expect(rejected.body.errors).toEqual([{ location: 'body._userAttributes', message: expect.any(String) }]);
    }
    for (const wrong of REFUSED_JSON) await sendText('post', path, `{"_userData":${wrong}}`).expect(400);
  });
});

describe('a query that MongoDB rejects', () => {
  const { mongo } = app;

  it.each<[string, object, object]>([
    ['QUERY_TOO_SLOW', { $where: 'sleep(500) || true' }, { maxTimeMS: 20 }],
    ['TEXT_INDEX_MISSING', { $text: { $search: 'x' } }, {}],
    ['INVALID_QUERY', { $unknown: 1 }, {}],
  ])('gets a 400 %s', async (code, filter, options) => {
    const find = () => mongo.db.collection('items').find(filter, options).toArray();
    await expect(mapQueryErrors(find)).rejects.toMatchObject({ status: 400, code });
  });

  it('gets a 400 QUERY_TOO_SLOW in every step of a search', async () => {
    const id = 'a'.repeat(24);
    const slow = { _id: id, _platform: { itemId: id, versionId: id }, _related: [], _tip: { _id: id } };
    await app.stored('slow').insertOne(slow);
    const body = 'function () { sleep(3000); return true; }';
    const pipeline = [{ $match: { $expr: { $function: { body, args: [], lang: 'js' } } } }];
    for (const name of ['items', 'related_items']) {
      await mongo.db.collection(name).drop();
      await mongo.db.createCollection(name, { viewOn: 'slow', pipeline });
    }
    const search = createSearchStore(mongo);
    const ofSlow = {
      item: { _id: id, _userItemId: id, _itemClass: 'NamedUserCollection' as const },
      version: { _id: id, _version: 1 },
    };
    const steps = [
      createVersionReads(mongo).choose(id, { numbers: [], ids: [id] }),
      search.relationsOf(ofSlow, [id]),
      search.read([id], undefined),
      search.distinct({ owner: ofSlow, allowed: 'all' }, undefined, 'a'),
    ];
    const reason = expect.objectContaining({ status: 400, code: 'QUERY_TOO_SLOW' });
    expect(await Promise.allSettled(steps)).toEqual(steps.map(() => ({ status: 'rejected', reason })));
  });
});
