import { MongoClient } from 'mongodb';
import { ownUsage } from '../usage.js';
import { argument, finish, repeat } from './program.js';

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

const { mongoUrl, database, collection: name, sources, batch, connections, seconds } = argument<InsertReadings>();
const client = await MongoClient.connect(mongoUrl, { writeConcern: { w: 'majority' } });
const collection = client.db(database).collection(name);
const round = await repeat(connections, seconds, insert);
finish({ ...round, usage: ownUsage() });

async function insert(): Promise<void> {
  const at = Date.now();
  const readings = Array.from({ length: batch }, (_, n) => ({
    _ts: new Date(at - n * 1000),
    _tsMetadata: sources[n % sources.length],
    temperature: 20 + (n % 100) / 10,
    humidity: n % 90,
    state: 'on',
  }));
  await collection.insertMany(readings, { ordered: false });
}
