import { expect } from '@jest/globals';
import { eventually } from '@dtplatform/testing';
import { ITEMS, NS } from './item-client.js';
import type { TestApp } from './start-app.js';

type Caller = { authorization: string };
export type Row = Record<string, unknown>;

/** Calls for indexes and related items by one caller. @param caller set before the first call */
export function indexClient(caller: () => { app: TestApp; owner: Caller }) {
  const send = (method: 'get' | 'post' | 'put' | 'delete', path: string, query: object = {}, by = caller().owner) =>
    caller()
      .app.api[method](`${ITEMS}/${path}`)
      .query({ nsfilter: NS, ...query })
      .set(by);
  const index = (id: string, ...indexes: unknown[]) => send('post', `${id}/indexes`).send(indexes);
  const addTo = async (id: string, rows: object[], query: object = {}) =>
    (await send('post', `${id}/relateditems`, query).send(rows).expect(201)).body._list as (Row & { _id: string })[];
  const list = (id: string, parameters: Row = {}, query: object = {}) => {
    const texts = Object.entries(parameters).map(([name, json]) => [name, JSON.stringify(json)]);
    return send('get', `${id}/relateditems`, { ...Object.fromEntries(texts), ...query });
  };
  const found = async (id: string, parameters: Row = {}, query: object = {}) =>
    (await list(id, parameters, query).expect(200)).body as { _total: number; _list: (Row & { _id: string })[] };
  const statuses = async (id: string) =>
    (await send('get', `${id}/indexes`).expect(200)).body._list.map(({ _status }: Row) => _status) as string[];
  const ready = (id: string) => eventually(async () => expect(new Set(await statuses(id))).toEqual(new Set(['READY'])));
  const indexed = async (id: string, ...indexes: unknown[]) => {
    await index(id, ...indexes).expect(201);
    await ready(id);
  };

  return { send, index, addTo, list, found, ready, indexed };
}
