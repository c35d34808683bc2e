import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { NS } from './item-client.js';
import { relatedCollectionClient } from './related-collection-client.js';
import type { Shown } from './related-collection-client.js';
import { startApp } from './start-app.js';
import type { TestApp } from './start-app.js';

describe('related collections never form a cycle', () => {
  let app: TestApp;
  let owner: { authorization: string };
  const { composite, collection, relate, relateOne, list, end, addVersion } = relatedCollectionClient(() => ({
    app,
    owner,
  }));

  beforeAll(async () => {
    app = await startApp();
    owner = await app.caller('olga', NS);
  });
  afterAll(() => app.stop());

  const refused = async (item: Shown, to: Shown) =>
    expect((await relate(item, [{ _itemId: to._id }]).expect(400)).body.code).toBe('RELATED_COLLECTION_CYCLE');

  it('directly, by way of others, or by way of other versions', async () => {
    const [a, b, c] = [await composite(), await composite(), await composite()];
    await refused(a, a);
    const relation = await relateOne(a, b);
    await relateOne(b, c);
    await refused(c, a);
    await refused(b, a);
    await relateOne(a, c);
    const before = a._tipId;
    await addVersion(a);
    await refused(c, a);
    await end(a, relation._id, { userItemVersionId: before }).expect(204);
    await relateOne(b, a);
  });

  it('also when both halves are related at the same time', async () => {
    for (let round = 0; round < 4; round++) {
      const [a, b, c] = [await composite(), await composite(), await composite()];
      const replies = await Promise.all([
        relate(a, [{ _itemId: b._id }]),
        relate(b, [{ _itemId: c._id }]),
        relate(c, [{ _itemId: a._id }]),
      ]);
      expect(replies.map(({ status }) => status).sort()).toEqual([201, 201, 400]);
    }
  });

  it('and a version has at most 1000', async () => {
    const [item, rooms] = [await composite(), await collection()];
    const many = (count: number) => Array.from({ length: count }, () => ({ _itemId: rooms._id }));
    await relate(item, many(1001)).expect(400);
    await relate(item, many(999), { transactional: true }).expect(201);
    const replies = await Promise.all([relate(item, many(1)), relate(item, many(1))]);
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 400]);
    expect(replies.find(({ status }) => status === 400)!.body.code).toBe('TOO_MANY_RELATED_COLLECTIONS');
    expect((await list(item, {}, { _pageSize: 1 })).body._total).toBe(1000);
  });
});
