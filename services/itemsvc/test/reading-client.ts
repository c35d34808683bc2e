import { expect } from '@jest/globals';
import { createOutbox, createTotals } from '@dtplatform/queue';
import type { Item } from '../src/nameduseritems/item.js';
import { createReadingStore } from '../src/readings/readings.store.js';
import { doors, ITEMS, NS } from './item-client.js';
import type { TestApp } from './start-app.js';

/** When the readings of tests begin. */
export const T0 = Date.UTC(2026, 0, 1);
export const iso = (ms: number) => new Date(ms).toISOString();

const METRIC = 'dtplatform.itemsvc.NamedTelemetryCollectionTimeSeriesCollectionSize';

export const reading = (ms: number, _sourceId: string, values: object = {}) => ({
  _ts: ms,
  _tsMetadata: { _sourceId },
  ...values,
});

/** Calls for readings by one caller, and what is stored of them. @param caller set before the first call */
export function readingClient(caller: () => { app: TestApp; owner: { authorization: string } }) {
  const send = (method: 'get' | 'post' | 'put' | 'delete', path: string, query: object = {}, by = caller().owner) =>
    caller()
      .app.api[method](`${ITEMS}/${path}`)
      .query({ nsfilter: NS, ...query })
      .set(by);
  const list = (id: string, query: Record<string, unknown> = {}, by = caller().owner) => {
    const texts = Object.entries(query).map(([name, value]) => [
      name,
      typeof value === 'object' ? JSON.stringify(value) : value,
    ]);
    return send('get', `${id}/relateditems/readings`, Object.fromEntries(texts) as object, by);
  };

  return {
    send,
    list,
    post: (id: string, body: object, query: object = {}, by = caller().owner) =>
      send('post', `${id}/relateditems/readings`, query, by).send(body),
    found: async (id: string, query: Record<string, unknown> = {}, by = caller().owner) => {
      const response = await list(id, query, by);
      expect(response.body).toMatchObject({ _total: expect.any(Number) });
      return response.body;
    },

    /** Creates a telemetry collection with telemetry items. */
    collection: async (more: object = {}, sources: object[] = [{ _sourceId: 'a' }, { _sourceId: 'b', floor: 2 }]) => {
      const draft = doors({ _itemClass: 'NamedTelemetryCollection', ...more });
      const item = (await send('post', '').send([draft]).expect(201)).body._list[0];
      const rows = await send('post', `${item._id}/relateditems`).send(sources).expect(201);
      return { ...item, rows: rows.body._list };
    },

    /** Readings of the first telemetry item of a collection, as the domain places them. */
    placedIn: async (
      { _id, _tipId, rows }: { _id: string; _tipId: string; rows: { _id: string }[] },
      times: number[],
    ) => {
      const { db } = caller().app.mongo;
      const item = (await db.collection('items').findOne({ _id: _id as never }))! as never as Item;
      const source = { _telItemId: rows[0]!._id, _sourceId: 'a' };
      const placed = times.map((ms, n) => ({ ts: new Date(ms), source, values: { n } }));
      return { owner: { item, version: { _id: _tipId, _version: 1 } }, placed };
    },

    readingStore: () => {
      const { mongo, deps } = caller().app;
      const { log } = deps;
      return createReadingStore({ mongo, outbox: createOutbox(mongo), totals: createTotals(mongo), log });
    },
    stored: (filter: object) => caller().app.mongo.db.collection('readings_seconds').find(filter).toArray(),

    /** What the metrics were told of the readings of an item, by namespace and version. Only without a worker. */
    told: async (itemId: string) => {
      const sums: Record<string, number> = {};
      const messages = await caller().app.mongo.db.collection('outbox').find({ name: 'usage.recorded.v1' }).toArray();
      for (const { payload } of messages) {
        for (const { _metric, _dimensions, _amount } of payload._changes) {
          if (_metric !== METRIC || _dimensions.collection !== itemId) continue;
          const key = `${payload._namespace} ${_dimensions.version}`;
          sums[key] = (sums[key] ?? 0) + (_amount as number);
        }
      }
      return sums;
    },
  };
}
