/**
 * Makes mongod the only member of its replica set, and answers `GET /readyz` with 200 when it is the primary. Each probe
 * looks anew, so data that is lost with its pod does no harm.
 */
import { createServer } from 'node:http';
import { createRequire } from 'node:module';

const MONGOD = 'mongodb:27017';
const MEMBER = '127.0.0.1:27017'; // as it calls itself; clients use directConnection
const PORT = 8081;

// From the working directory, which is that of a service.
const { MongoClient } = createRequire(`${process.cwd()}/`)('mongodb');

const server = createServer(async (_req, res) => {
  const isReady = await isPrimary().catch((error) => void console.error(error.message));
  res.writeHead(isReady ? 200 : 503).end();
}).listen(PORT);

process.once('SIGTERM', () => server.close());

async function isPrimary() {
  // A client that could not connect at first never does, so each look has one of its own.
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
