import { MongoClient } from 'mongodb';
import { ownUsage, type Usage } from '../usage.js';
import { argument } from './argument.js';

/** Inserts readings into a time-series collection with the driver alone. */
export interface InsertReadings {
  mongoUrl: string;
  database: string;
  collection: string;
  /** `_tsMetadata` of the readings, in turn. */
  sources: object[];
  /** Readings per insertMany. */
  batch: number;
  /** Number of concurrent inserts. */
  connections: number;
  seconds: number;
}

export interface InsertReadingsResult {
  batchesPerSecond: number;
  batches: number;
  usage: Usage;
}

const { mongoUrl, database, collection: name, sources, batch, connections, seconds } = argument<InsertReadings>();
const client = await MongoClient.connect(mongoUrl, { writeConcern: { w: 'majority' } });
const collection = client.db(database).collection(name);

let batches = 0;
const begun = performance.now();
await Promise.all(Array.from({ length: connections }, insertUntilTheEnd));
const elapsedMs = performance.now() - begun;
await client.close();
const result: InsertReadingsResult = { batchesPerSecond: (batches / elapsedMs) * 1000, batches, usage: ownUsage() };
console.log(JSON.stringify(result));

async function insertUntilTheEnd(): Promise<void> {
  while (performance.now() - begun < seconds * 1000) {
    const at = Date.now();
    const readings = Array.from({ length: batch }, (_, n) => ({
      _ts: new Date(at - n * 1000),
      _tsMetadata: sources[n % sources.length],
      temperature: 20 + (n % 100) / 10,
      humidity: n % 90,
      state: 'on',
    }));
    await collection.insertMany(readings, { ordered: false });
    batches += 1;
  }
}
