import { itemClient } from './item-client.js';
import type { TestApp } from './start-app.js';

/** An item, as it is shown. */
export interface Shown {
  _id: string;
  _userItemId: string;
  _tipId: string;
}
export interface Related {
  _id: string;
  _itemId: string;
}

/** Calls for the related collections of items by one caller. @param caller set before the first call */
export function relatedCollectionClient(caller: () => { app: TestApp; owner: { authorization: string } }) {
  const client = itemClient(caller);
  const { send, createOne } = client;
  const composite = (more: object = {}): Promise<Shown> =>
    createOne({ _itemClass: 'NamedCompositeItem', _version: { _userAttributes: {} }, ...more });
  const collection = (more: object = {}): Promise<Shown> => createOne(more);
  const relate = (item: Shown, body: unknown, query: object = {}) =>
    send('post', `/${item._id}/relatedcollections`, query).send(body as object);
  const relateOne = async (item: Shown, to: Shown): Promise<Related> =>
    (await relate(item, [{ _itemId: to._id }]).expect(201)).body._list[0];
  const list = (item: Shown, query: object = {}, more: object = {}) =>
    send('get', `/${item._id}/relatedcollections`, { query: JSON.stringify(query), ...more });
  const related = async (item: Shown, more: object = {}) =>
    ((await list(item, {}, more).expect(200)).body._list as Related[]).map(({ _itemId }) => _itemId);
  const end = (item: Shown, id: string, query: object = {}) =>
    send('delete', `/${item._id}/relatedcollections/${id}`, query);
  const addVersion = async (item: Shown): Promise<{ _id: string }> =>
    (await send('post', `/${item._id}/versions`).send({ _userAttributes: {} }).expect(201)).body;

  return { ...client, composite, collection, relate, relateOne, list, related, end, addVersion };
}
