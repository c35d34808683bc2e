import type { Connection, Model } from 'mongoose';
import mongoose from 'mongoose';
import { commonErrors } from '@dtplatform/errors';
import type { Logger } from '@dtplatform/logging';
import { checkPoolsSeldom, connectionOf, keepConnecting, logOutages } from './connection.js';
import type { ClientSession, Collection, Db, MongoClient } from './driver.js';
import type { ModelDefinition } from './model.js';
import { currentKeyedRequest, outsideKeyedRequest, startTransaction } from './transaction.js';
import type { TransactionOptions, TransactionWork } from './transaction.js';

const SERVER_SELECTION_TIMEOUT_MS = 2_000;
const CONNECT_TIMEOUT_MS = 2_000;
const SOCKET_TIMEOUT_MS = 30_000;
const WAIT_FOR_CONNECTION_TIMEOUT_MS = 5_000;

interface MongoOptions {
  /** Connection string of a replica set, which transactions and change streams require. */
  url: string;
  /** The service's own database. */
  database: string;
  /** Shown in the server's log and in `currentOp`. */
  appName: string;
  log: Logger;
  /** Maximum number of connections per server. Default 100. */
  maxPoolSize?: number;
}

/** A service's database. */
export interface Mongo {
  /** The model of a collection on this connection; always the same object. */
  model<T>(definition: ModelDefinition<T>): Model<T>;
  /**
   * The driver's collection of a model: no casts, no sanitized filters, no automatic revision. For writes that the
   * bench shows to be slow with a model, for updates by the database's clock, and for internal marks.
   */
  collection<T extends object>(definition: ModelDefinition<T>): Collection<T>;
  /** For libraries that need more than models: change streams, migrations. */
  db: Db;
  /** Resolves when the primary responds; rejects after about 2 seconds. */
  ping: () => Promise<void>;
  /** The current use of this process's connection pools. */
  poolUse: () => PoolUse;
  /**
   * Runs `fn` in a transaction and commits it. `fn` runs again after a write conflict or an election, so it must have
   * no effects outside the database, pass `session` to every operation, not run operations in parallel, and rethrow
   * errors of the driver unchanged (a mapped error is not retried). Rejects with a 503 after 10 seconds of conflicts,
   * and after about 4 seconds without a server.
   *
   * In a request with an idempotency key, the commit waits until the response is known and includes the key: later code
   * in the request does not see the write yet, unless the write is `early`.
   */
  transaction: <T>(fn: (session: ClientSession) => Promise<T>, options?: TransactionOptions<T>) => Promise<T>;
  /**
   * Runs a single creating write. It uses a transaction, with a session, only if an idempotency key must be written
   * with it.
   */
  create: <T>(fn: (session?: ClientSession) => Promise<T>, options?: TransactionOptions<T>) => Promise<T>;
  /**
   * Runs incidental writes, such as defaults that are created on first use: they commit at once, even in a request with
   * an idempotency key.
   */
  apart: <T>(fn: () => Promise<T>) => Promise<T>;
  /** Whether the running request has an idempotency key. Its writes then cannot share a transaction with others. */
  isKeyed: () => boolean;
  close: () => Promise<void>;
}

/**
 * Connects to one database. Resolves when connected, or after 2 seconds without a connection: a service starts without
 * its database, its operations fail within 2 seconds while it is unavailable, and it recovers by itself.
 *
 * Reads and writes use majority concern; the driver retries single reads and writes once. Filters are sanitized:
 * operators apply only where a store marked them with `trusted`.
 */
export async function connectMongo(options: MongoOptions): Promise<Mongo> {
  const client = new mongoose.mongo.MongoClient(options.url, {
    appName: options.appName,
    maxPoolSize: options.maxPoolSize ?? 100,
    serverSelectionTimeoutMS: SERVER_SELECTION_TIMEOUT_MS,
    connectTimeoutMS: CONNECT_TIMEOUT_MS,
    socketTimeoutMS: SOCKET_TIMEOUT_MS,
    waitQueueTimeoutMS: WAIT_FOR_CONNECTION_TIMEOUT_MS,
    writeConcern: { w: 'majority' },
    readConcern: { level: 'majority' },
    readPreference: 'primary',
    retryWrites: true,
    retryReads: true,
  });
  checkPoolsSeldom(client);
  logOutages(client, options.log);
  const poolUse = followPools(client);
  const connecting = keepConnecting(client, options.log);
  await connecting.firstAttempt;
  const connection = connectionOf(client, options.database);

  const mongo: Mongo = {
    model: createModels(connection),
    collection: ({ collection }) => client.db(options.database).collection(collection),
    db: client.db(options.database),
    async ping() {
      const { isWritablePrimary } = await client
        .db(options.database)
        .command({ hello: 1 })
        .catch((error: unknown) => {
          throw connecting.failure() ?? error;
        });
      // Members of an uninitialized replica set respond, but there is no primary.
      if (!isWritablePrimary)
        throw commonErrors.unavailable({ cause: new Error('The server that responds is not the primary.') });
    },
    poolUse,
    transaction: (fn, options = {}) => currentKeyedRequest(mongo)?.transaction(start, fn, options) ?? start(fn).result,
    create: (fn, options = {}) => currentKeyedRequest(mongo)?.transaction(start, fn, options) ?? fn(),
    apart: outsideKeyedRequest,
    isKeyed: () => currentKeyedRequest(mongo) !== undefined,
    async close() {
      await connecting.stop();
      await client.close();
    },
  };
  const start = <T>(fn: TransactionWork<T>) => startTransaction(connection, fn);
  return mongo;
}

/** One model per definition. A later version's definition of the same collection gets its own model. */
function createModels(connection: Connection) {
  const models = new Map<ModelDefinition, unknown>();
  return <T>(definition: ModelDefinition<T>): Model<T> => {
    const known = models.get(definition as ModelDefinition) as Model<T> | undefined;
    if (known) return known;
    const { collection, schema } = definition;
    const name = collection in connection.models ? `${collection} (${models.size})` : collection;
    const model = connection.model(name, schema, collection) as unknown as Model<T>;
    models.set(definition as ModelDefinition, model);
    return model;
  };
}

/** Connections of this process to all servers, and operations that wait for one. */
interface PoolUse {
  open: number;
  inUse: number;
  waiting: number;
  /** Maximum per server. */
  max: number;
  /** Total number of operations that got no connection. */
  failed: number;
}

interface PooledConnection {
  address: string;
  connectionId: number | '<monitor>';
}
const keyOf = ({ address, connectionId }: PooledConnection) => `${address} ${connectionId}`;

/** Follows the driver's pool events. @returns the current number of connections by state */
function followPools(client: MongoClient): () => PoolUse {
  const open = new Set<string>();
  const inUse = new Set<string>();
  const counts = { started: 0, ended: 0, failed: 0 };
  client.on('connectionCreated', (event) => open.add(keyOf(event)));
  client.on('connectionClosed', (event) => {
    open.delete(keyOf(event));
    inUse.delete(keyOf(event));
  });
  client.on('connectionCheckOutStarted', () => (counts.started += 1));
  client.on('connectionCheckedOut', (event) => {
    counts.ended += 1;
    inUse.add(keyOf(event));
  });
  client.on('connectionCheckOutFailed', () => {
    counts.ended += 1;
    counts.failed += 1;
  });
  client.on('connectionCheckedIn', (event) => inUse.delete(keyOf(event)));
  return () => ({
    open: open.size,
    inUse: inUse.size,
    waiting: counts.started - counts.ended,
    max: client.options.maxPoolSize,
    failed: counts.failed,
  });
}
