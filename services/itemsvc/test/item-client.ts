import { API } from './start-app.js';
import type { TestApp } from './start-app.js';

export const ITEMS = `${API}/nameduseritems`;
export const NS = 'tower_a1b2c3d4';
export const OTHER = 'annex_e5f6a7b8';

export const doors = (more: object = {}) => ({
  _name: 'Doors',
  _shortName: 'doors',
  _description: 'All doors of the tower.',
  _namespaces: [NS],
  _userType: 'door_list',
  _itemClass: 'NamedUserCollection',
  ...more,
});

/** Calls of the items API by one caller in one namespace. @param caller set before the first call */
export function itemClient(caller: () => { app: TestApp; owner: { authorization: string } }, nsfilter = NS) {
  const send = (method: 'get' | 'post' | 'put' | 'delete', path: string, query: object = {}) => {
    const { app, owner } = caller();
    return app.api[method](`${ITEMS}${path}`)
      .query({ nsfilter, ...query })
      .set(owner);
  };
  const create = (body: unknown, query: object = {}) => send('post', '', query).send(body as object);
  return {
    send,
    create,
    createOne: async (more: object = {}) => (await create([doors(more)]).expect(201)).body._list[0],
    get: (id: string, query: object = {}) => send('get', `/${id}`, query),
    /** @param parameters sent as JSON */
    list: (parameters: Record<string, unknown> = {}) =>
      send(
        'get',
        '',
        Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, JSON.stringify(value)])),
      ),
  };
}
