import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { asking } from '../src/store/query-errors.js';
import { startApp } from './start-app.js';
import type { TestApp } from './start-app.js';

describe('what the database says against a query', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await startApp();
    await app.deps.mongo.db.collection('items').insertOne({ a: 'x' });
  });
  afterAll(() => app.stop());

  const ask = (filter: object, options: object = {}) =>
    asking(() => app.deps.mongo.db.collection('items').find(filter, options).toArray());

  it('is a bad request of its own kind when its time is over', async () => {
    await expect(ask({ $where: 'sleep(5000) || true' }, { maxTimeMS: 20 })).rejects.toMatchObject({
      status: 400,
      code: 'QUERY_TOO_SLOW',
    });
  });

  it('is a bad request when there is no text index', async () => {
    await expect(ask({ $text: { $search: 'x' } })).rejects.toMatchObject({ status: 400, code: 'TEXT_INDEX_MISSING' });
  });

  it('is a bad request when it does not understand', async () => {
    await expect(ask({ $unknown: 1 })).rejects.toMatchObject({ status: 400, code: 'INVALID_QUERY' });
  });
});
