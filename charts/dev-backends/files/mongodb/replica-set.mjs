/**
 * Initiates a replica set with mongod as its only member, and responds to `GET /readyz` with 200 once it is the primary. Each
 * probe checks again, so the replica set is also initiated after a pod without a volume is replaced.
 */
import { createServer } from 'node:http';
import { createRequire } from 'node:module';

const MONGOD = 'mongodb:27017';
const MEMBER = '127.0.0.1:27017'; // the name in the replica set; clients use directConnection
const PORT = 8081;

// Resolved from the working directory, the folder of a service.
const { MongoClient } = createRequire(`${process.cwd()}/`)('mongodb');

const server = createServer(async (_req, res) => {
  const isReady = await isPrimary().catch((error) => void console.error(error.message));
  res.writeHead(isReady ? 200 : 503).end();
}).listen(PORT);

process.once('SIGTERM', () => server.close());

async function isPrimary() {
  // A client that fails to connect once does not recover, so each probe creates its own.
  const client = new MongoClient(`mongodb://${MONGOD}/?directConnection=true`, { serverSelectionTimeoutMS: 2_000 });
  try {
    const admin = client.db('admin');
    const { isreplicaset: isWithoutConfig, isWritablePrimary } = await admin.command({ hello: 1 });
    if (isWithoutConfig) await admin.command({ replSetInitiate: { _id: 'rs0', members: [{ _id: 0, host: MEMBER }] } });
    return isWritablePrimary;
  } finally {
    await client.close();
  }
}
