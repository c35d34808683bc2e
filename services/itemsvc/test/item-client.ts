import { API, NS } from './start-app.js';
import type { Here } from './start-app.js';

export const ITEMS = `${API}/nameduseritems`;
/** An id that no document has. */
export const UNKNOWN = 'f'.repeat(24);

/** An item as callers see it. */
export interface Shown {
  _id: string;
  _userItemId: string;
  _tipId: string;
  _irn: string;
}

export const doors = (more: object = {}) => ({
  _name: 'Doors',
  _shortName: 'doors',
  _description: 'All doors of the tower.',
  _namespaces: [NS],
  _userType: 'door_list',
  _itemClass: 'NamedUserCollection',
  ...more,
});

/** The body of a PUT that changes an item. */
export const changeOf = (more: object = {}) => ({
  _name: 'Gates',
  _description: 'All gates.',
  _namespaces: [NS],
  _userType: 'gate_list',
  ...more,
});

export const times = <T>(count: number, of: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => of(n));

export const asJson = (parameters: Record<string, unknown>): Record<string, string> =>
  Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, JSON.stringify(value)]));

/** Calls of the items API by one caller in one namespace. */
export function itemClient({ app, owner }: Pick<Here, 'app' | 'owner'>, nsfilter = NS) {
  /** @param path below the items */
  const send = (method: 'get' | 'post' | 'put' | 'delete', path: string, query: object = {}, by = owner) =>
    app.api[method](`${ITEMS}${path}`)
      .query({ nsfilter, ...query })
      .set(by);
  /** Sends a body as it is. */
  const sendText = (method: 'post' | 'put', path: string, body: string) =>
    send(method, path).set('content-type', 'application/json').send(body);
  const create = (body: unknown, query: object = {}) => send('post', '', query).send(body as object);
  /** @param parameters sent as JSON */
  const rows = (id: string, parameters: Record<string, unknown> = {}, query: object = {}, by = owner) =>
    send('get', `/${id}/relateditems`, { ...asJson(parameters), ...query }, by);
  return {
    send,
    sendText,
    create,
    createOne: async (more: object = {}) => (await create([doors(more)]).expect(201)).body._list[0],
    get: (id: string, query: object = {}) => send('get', `/${id}`, query),
    /** @param parameters sent as JSON */
    list: (parameters: Record<string, unknown> = {}) => send('get', '', asJson(parameters)),
    put: (id: string, change: object = {}, query: object = {}, by = owner) =>
      send('put', `/${id}`, query, by).send(changeOf(change)),
    addVersion: async (id: string, body: object = {}) =>
      (await send('post', `/${id}/versions`).send(body).expect(201)).body,
    addRows: async (id: string, body: object[], query: object = {}) =>
      (await send('post', `/${id}/relateditems`, query).send(body).expect(201)).body._list,
    rows,
    rowsOf: async (...call: Parameters<typeof rows>) => (await rows(...call).expect(200)).body,
  };
}
