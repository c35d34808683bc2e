import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { itemClient, NS } from './item-client.js';
import { startApp } from './start-app.js';
import type { TestApp } from './start-app.js';

interface Shown {
  _id: string;
  _userItemId: string;
  _tipId: string;
}
interface Related {
  _id: string;
  _itemId: string;
}

describe('related collections never form a cycle', () => {
  let app: TestApp;
  let owner: { authorization: string };
  const { send, createOne } = itemClient(() => ({ app, owner }));

  beforeAll(async () => {
    app = await startApp();
    owner = await app.caller('olga', NS);
  });
  afterAll(() => app.stop());

  const composite = (more: object = {}): Promise<Shown> =>
    createOne({ _itemClass: 'NamedCompositeItem', _version: { _userAttributes: {} }, ...more });
  const collection = (more: object = {}): Promise<Shown> => createOne(more);
  const relate = (item: Shown, body: unknown, query: object = {}) =>
    send('post', `/${item._id}/relatedcollections`, query).send(body as object);
  const relateOne = async (item: Shown, to: Shown): Promise<Related> =>
    (await relate(item, [{ _itemId: to._id }]).expect(201)).body._list[0];
  const list = (item: Shown, query: object = {}, more: object = {}) =>
    send('get', `/${item._id}/relatedcollections`, { query: JSON.stringify(query), ...more });
  const end = (item: Shown, id: string, query: object = {}) =>
    send('delete', `/${item._id}/relatedcollections/${id}`, query);
  const addVersion = async (item: Shown): Promise<{ _id: string }> =>
    (await send('post', `/${item._id}/versions`).send({ _userAttributes: {} }).expect(201)).body;

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
