import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mapQueryErrors } from '../../src/store/query/map-query-errors.js';
import { createSearchStore } from '../../src/store/search/search-store.js';
import { createVersionReads } from '../../src/store/versions/version-reads.js';
import { startApp } from '../start-app.js';
import type { TestApp } from '../start-app.js';

describe('queries that the database refuses', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await startApp();
    await app.deps.mongo.db.collection('items').insertOne({ a: 'x' });
  });
  afterAll(() => app.stop());

  const ask = (filter: object, options: object = {}) =>
    mapQueryErrors(() => app.deps.mongo.db.collection('items').find(filter, options).toArray());

  it('get 400 QUERY_TOO_SLOW past the time limit', async () => {
    await expect(ask({ $where: 'sleep(5000) || true' }, { maxTimeMS: 20 })).rejects.toMatchObject({
      status: 400,
      code: 'QUERY_TOO_SLOW',
    });
  });

  it('get 400 TEXT_INDEX_MISSING without a text index', async () => {
    await expect(ask({ $text: { $search: 'x' } })).rejects.toMatchObject({ status: 400, code: 'TEXT_INDEX_MISSING' });
  });

  it('get 400 INVALID_QUERY for an unknown operator', async () => {
    await expect(ask({ $unknown: 1 })).rejects.toMatchObject({ status: 400, code: 'INVALID_QUERY' });
  });

  it('get 400 QUERY_TOO_SLOW in every step of a search', async () => {
    const { mongo } = app.deps;
    const id = 'a'.repeat(24);
    await mongo.db
      .collection<{ _id: string }>('slow')
      .insertOne({ _id: id, ...{ _platform: { itemId: id, versionId: id }, _related: [], _tip: { _id: id } } });
    const body = 'function () { sleep(10000); return true; }';
    const slowly = [{ $match: { $expr: { $function: { body, args: [], lang: 'js' } } } }];
    for (const name of ['items', 'related_items']) {
      await mongo.db.collection(name).drop();
      await mongo.db.createCollection(name, { viewOn: 'slow', pipeline: slowly });
    }
    const owner = {
      item: { _id: id, _userItemId: id, _itemClass: 'NamedUserCollection' as const },
      version: { _id: id, _version: 1 },
    };
    const search = createSearchStore(mongo);
    const steps = [
      createVersionReads(mongo).choose(id, { numbers: [], ids: [id] }),
      search.relationsOf(owner, [id]),
      search.read([id], undefined),
      search.distinct({ owner, allowed: 'all' }, undefined, 'a'),
    ];
    const tooSlow = { status: 'rejected', reason: expect.objectContaining({ status: 400, code: 'QUERY_TOO_SLOW' }) };
    expect(await Promise.allSettled(steps)).toEqual(steps.map(() => tooSlow));
  });
});
