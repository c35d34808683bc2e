import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mapQueryErrors } from '../../src/store/query/map-query-errors.js';
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
});
