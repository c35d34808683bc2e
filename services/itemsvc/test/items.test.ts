import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { API, startApp } from './start-app.js';
import type { TestApp } from './start-app.js';

const ITEMS = `${API}/nameduseritems`;
const NS = 'tower_a1b2c3d4';

const draft = (more: object = {}) => ({
  _name: 'Doors',
  _shortName: 'doors',
  _description: 'all doors',
  _namespaces: [NS],
  _userType: 'door_list',
  _itemClass: 'NamedUserCollection',
  ...more,
});

describe('named user items', () => {
  let app: TestApp;
  let owner: { authorization: string };

  beforeAll(async () => {
    app = await startApp();
    owner = await app.caller('olga', NS);
  });
  afterAll(() => app.stop());

  const post = (body: unknown, query: object = {}) =>
    app.api
      .post(ITEMS)
      .query({ nsfilter: NS, ...query })
      .set(owner)
      .send(body as object);
  const get = (path: string, query: object = {}) =>
    app.api
      .get(`${ITEMS}${path}`)
      .query({ nsfilter: NS, ...query })
      .set(owner);

  it('creates', async () => {
    const r = await post([draft({ _version: { _userAttributes: { a: 1 } } })]);
    expect(r.status).toBe(201);
    const [item] = r.body._list;
    const g = await get(`/${item._id}`).expect(200);
    expect(g.body).toEqual(item);
    const l = await get('', { query: JSON.stringify({ '_versions._userAttributes.a': 1 }) });
    expect(l.body).toEqual({ _offset: 0, _pageSize: 25, _total: 1, _list: [item] });
  });
});
