import { MongoClient } from 'mongodb';
import { createCaller, ITEMS } from '@dtplatform/stack/client';
import type { Bench } from '../bench.js';
import { createTelemetryCollection, someReadings } from '../counts/operations/items.js';
import { httpSide } from '../http-side.js';
import { ITEMS_DATABASE } from '../items.js';
import type { InsertReadings } from '../load/insert-readings.js';
import { programSide } from '../program-side.js';
import type { Row } from '../row.js';

const BATCH = 1000;
const CONNECTIONS = 32;
const SECONDS = 4;

export const readings: Row = {
  row: 'readings',
  unit: 'batch',
  reach: 0.7,
  about: `${BATCH} readings in one request; beside insertMany of the driver into the same time-series collection`,
  async prepare(bench) {
    const { url, pid } = bench.serviceOf('itemsvc');
    const { token, namespace } = bench;
    const caller = createCaller({ baseUrl: url, token });
    const collectionId = await createTelemetryCollection({ caller, namespace });
    const urls = [`${url}${ITEMS}/${collectionId}/relateditems/readings?nsfilter=${namespace}`];
    const reference = await insertMany(bench, collectionId);
    return { ours: httpSide({ pid, urls, json: someReadings(BATCH), token }), reference };
  },
};

/** Inserts the same readings with the driver alone, in separate buckets. */
async function insertMany({ stack }: Bench, itemId: string) {
  const mongoUrl = stack.backends.mongoUrl;
  const client = await MongoClient.connect(mongoUrl);
  const rows = await client
    .db(ITEMS_DATABASE)
    .collection('related_items')
    .find({ '_platform.itemId': itemId })
    .toArray();
  await client.close();
  const argument = {
    ...{ mongoUrl, database: ITEMS_DATABASE, collection: 'readings_seconds', batch: BATCH, connections: CONNECTIONS },
    sources: rows.map(({ _id, _sourceId }) => ({
      _itemId: 'reference',
      _versionId: 'reference',
      _telItemId: String(_id),
      _sourceId: String(_sourceId),
      _until: null,
    })),
  };
  return programSide<InsertReadings>('load/insert-readings', argument, { seconds: SECONDS });
}
