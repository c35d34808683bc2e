import { createOutbox, createTotals } from '@dtplatform/queue';
import type { Item } from '../src/nameduseritems/item.js';
import { createReadingStore } from '../src/readings/readings.store.js';
import { itemClient } from './item-client.js';
import type { Here } from './start-app.js';
import { sumsBy, usageInOutbox } from './usage-client.js';

/** The time of the first reading. */
export const T0 = Date.UTC(2026, 0, 1);
export const iso = (ms: number) => new Date(ms).toISOString();

const METRIC = 'dtplatform.itemsvc.NamedTelemetryCollectionTimeSeriesCollectionSize';

export const reading = (ms: number, _sourceId: string, values: object = {}) => ({
  _ts: ms,
  _tsMetadata: { _sourceId },
  ...values,
});

/** Calls for readings by one caller, and what is stored. */
export function readingClient(here: Here) {
  const { app, owner } = here;
  const { mongo } = app;
  const client = itemClient(here);
  const { send, createOne, addRows } = client;
  const list = (id: string, query: Record<string, unknown> = {}, by = owner) => {
    const texts = Object.entries(query).map(([name, value]) => [
      name,
      typeof value === 'object' ? JSON.stringify(value) : value,
    ]);
    return send('get', `/${id}/relateditems/readings`, Object.fromEntries(texts) as object, by);
  };

  return {
    ...client,
    list,
    post: (id: string, body: object, query: object = {}, by = owner) =>
      send('post', `/${id}/relateditems/readings`, query, by).send(body),
    found: async (id: string, query: Record<string, unknown> = {}, by = owner) =>
      (await list(id, query, by).expect(200)).body,

    /** Creates a telemetry collection with telemetry items. */
    collection: async (more: object = {}, sources: object[] = [{ _sourceId: 'a' }, { _sourceId: 'b', floor: 2 }]) => {
      const item = await createOne({ _itemClass: 'NamedTelemetryCollection', ...more });
      return { ...item, rows: await addRows(item._id, sources) };
    },

    /** Readings of the first telemetry item of a collection, as use cases pass them to the store. */
    placedIn: async (
      { _id, _tipId, rows }: { _id: string; _tipId: string; rows: { _id: string }[] },
      times: number[],
    ) => {
      const item = (await app.stored('items').findOne({ _id })) as unknown as Item;
      const source = { _telItemId: rows[0]!._id, _sourceId: 'a' };
      const placed = times.map((ms, n) => ({ ts: new Date(ms), source, values: { n } }));
      return { owner: { item, version: { _id: _tipId, _version: 1 } }, placed };
    },

    readingStore: createReadingStore({
      ...{ mongo, outbox: createOutbox(mongo), totals: createTotals(mongo), log: app.deps.log },
    }),
    stored: (filter: object) => mongo.db.collection('readings_seconds').find(filter).toArray(),

    /** The recorded bytes of the readings of an item, by namespace and version. */
    recorded: async (itemId: string) => {
      const own = (await usageInOutbox(app)).filter(
        ({ _metric, _dimensions }) => _metric === METRIC && _dimensions.collection === itemId,
      );
      return sumsBy(own, ({ namespace, _dimensions }) => `${namespace} ${_dimensions.version}`);
    },
  };
}
