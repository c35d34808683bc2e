import { MongoClient } from 'mongodb';
import { createCaller } from '@dtplatform/stack/client';
import type { Bench } from '../bench.js';
import { runProgram } from '../child.js';
import { createTelemetryCollection, someReadings } from '../counts/operations/items.js';
import { httpSide, WARM_UP_SECONDS } from '../http-side.js';
import { ITEMS_DATABASE, ITEMS_PATH } from '../items.js';
import type { InsertReadings, InsertReadingsResult } from '../load/insert-readings.js';
import type { Round } from '../measure.js';
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
    const caller = createCaller({ baseUrl: url, token: bench.token });
    const collectionId = await createTelemetryCollection({ caller, namespace: bench.namespace });
    const reference = await insertMany(bench, collectionId);
    return {
      ours: httpSide({
        ...{ method: 'POST', body: JSON.stringify(someReadings(BATCH)), pid },
        urls: [`${url}${ITEMS_PATH}/${collectionId}/relateditems/readings?nsfilter=${bench.namespace}`],
        headers: { 'content-type': 'application/json', authorization: `Bearer ${bench.token}` },
      }),
      reference,
    };
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
  const argument: Omit<InsertReadings, 'seconds'> = {
    ...{ mongoUrl, database: ITEMS_DATABASE, collection: 'readings_seconds', batch: BATCH, connections: CONNECTIONS },
    sources: rows.map(({ _id, _sourceId }) => ({
      _itemId: 'reference',
      _versionId: 'reference',
      _telItemId: String(_id),
      _sourceId: String(_sourceId),
      _until: null,
    })),
  };
  const load = async (seconds: number): Promise<Round> => {
    const result = await runProgram<InsertReadingsResult>('load/insert-readings', { ...argument, seconds });
    return { perSecond: result.batchesPerSecond, done: result.batches, usage: result.usage };
  };
  return { run: () => load(SECONDS), warmUp: () => load(WARM_UP_SECONDS) };
}
