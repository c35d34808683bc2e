import { randomUUID } from 'node:crypto';
import mongoose from 'mongoose';
import type { LeaseState } from '../src/index.js';

export interface Job {
  _id: string;
  state?: string;
  result?: string;
  lease?: LeaseState;
}

const schema = new mongoose.Schema<Job>(
  {
    _id: String,
    state: String,
    result: String,
    lease: new mongoose.Schema<LeaseState>({ fence: Number, until: Date }, { _id: false }),
  },
  { collection: 'jobs', versionKey: false, autoCreate: false, autoIndex: false },
);

/** Processes with a connection each to a separate database. */
export async function openProcesses(count: number) {
  const dbName = `test_lease_${randomUUID()}`;
  const connections = await Promise.all(
    Array.from({ length: count }, () =>
      mongoose.createConnection(process.env.MONGO_URL ?? '', { dbName, writeConcern: { w: 'majority' } }).asPromise(),
    ),
  );
  return {
    models: connections.map((connection) => connection.model<Job>('jobs', schema)),
    leases: connections.map((connection) =>
      connection.model<{ _id: string } & LeaseState>('leases', new mongoose.Schema({ _id: String }, { strict: false })),
    ),
    async close() {
      await connections[0]!.dropDatabase();
      await Promise.all(connections.map((connection) => connection.close()));
    },
  };
}
