import type { TestRun } from '../test-run.js';
import { readFromMongo } from '../tools/in-pod.js';

/** The size of a collection. */
export interface DataSize {
  collection: string;
  documents: number;
  /** Average size of a document, as BSON. */
  averageBytes: number;
  /** Size of all documents, compressed. */
  storedBytes: number;
  indexBytes: number;
}

const READ = `
const { databases } = await client.db('admin').command({ listDatabases: 1, nameOnly: true });
const sizes = [];
for (const { name } of databases.filter((one) => one.name.startsWith('dtplatform_')))
  for (const { name: collection, type } of await client.db(name).listCollections().toArray()) {
    if (type === 'view' || collection.startsWith('system.views')) continue;
    const stats = await client.db(name).command({ collStats: collection });
    if (!stats.size) continue;
    const averageBytes = stats.avgObjSize ?? stats.timeseries?.avgBucketSize ?? 0;
    const documents = stats.count ?? stats.timeseries?.bucketCount ?? 0;
    sizes.push({ collection: name.slice(11) + '.' + collection, documents, averageBytes,
      storedBytes: stats.storageSize, indexBytes: stats.totalIndexSize });
  }
console.log(JSON.stringify(sizes));
`;

/** The sizes of all collections with documents. */
export const readDataSizes = ({ kubectl }: TestRun): Promise<DataSize[]> => readFromMongo(kubectl, READ);
