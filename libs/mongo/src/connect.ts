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
  /** A connection string. It must lead to a replica set: transactions and change streams need one. */
  url: string;
  /** The service's own database. */
  database: string;
  /** Shown in the server's log and in `currentOp`. */
  appName: string;
  log: Logger;
  /** Connections of this process to each server. Default 100. */
  maxPoolSize?: number;
}

/** A service's database. */
export interface Mongo {
  /** The model of a collection on this connection; the same one each time. */
  model<T>(definition: ModelDefinition<T>): Model<T>;
  /**
   * The driver's collection of a model: without casts, sanitized filters and a rising revision. For what the bench shows to be slow
   * with a model, for updates by the clock of the database, and for marks that callers do not see (docs/adr/0016).
   */
  collection<T extends object>(definition: ModelDefinition<T>): Collection<T>;
  /** For libraries that need more than models: change streams, migrations. */
  db: Db;
  /** Resolves when the primary answers; rejects within about 2 seconds when it does not. */
  ping: () => Promise<void>;
  /** How the connection pools of this process are used now. */
  poolUse: () => PoolUse;
  /**
   * Runs `fn` in a transaction and commits it. `fn` runs again after a write conflict or an election, so it must have no
   * effect outside the database, must hand `session` to every operation, must not run operations in parallel, and must let
   * errors of the driver through as they are (one that is mapped to another error inside `fn` cannot be retried).
   * Rejects with a 503 after 10 seconds of conflicts, and after about 4 seconds when no server is found.
   *
   * In a request with an idempotency key, the commit waits until the response is known, and the key is written with it: what
   * follows in the request does not see the write yet, unless the write is `early`.
   */
  transaction: <T>(fn: (session: ClientSession) => Promise<T>, options?: TransactionOptions<T>) => Promise<T>;
  /**
   * Runs a single write that creates: in a transaction, with a session, only if an idempotency key must be written with
   * it.
   */
  create: <T>(fn: (session?: ClientSession) => Promise<T>, options?: TransactionOptions<T>) => Promise<T>;
  /**
   * Runs writes that are not what the request is for, such as defaults that are completed when somebody first needs them: they
   * are committed at once, also in a request with an idempotency key.
   */
  apart: <T>(fn: () => Promise<T>) => Promise<T>;
  /** Whether the running request has an idempotency key: then its writes cannot share a transaction with others. */
  isKeyed: () => boolean;
  close: () => Promise<void>;
}

/**
 * Opens a connection to one database. Resolves when it is connected, or after 2 seconds without it: a service starts without
 * its database, its operations fail within 2 seconds while it is unavailable, and it recovers by itself.
 *
 * Reads and writes are acknowledged by a majority; single writes and reads are retried once by the driver. Filters are
 * sanitized: operators count only where the store marked them with `trusted`.
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
      // A replica set that is not initiated has members that answer, and no primary.
      if (!isWritablePrimary)
        throw commonErrors.unavailable({ cause: new Error('The server that answers is not the primary.') });
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

/** One model for each definition; a later version's definition of the same collection gets a model of its own. */
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

/** The connections of this process to all servers, and the operations that wait for one. */
interface PoolUse {
  open: number;
  inUse: number;
  waiting: number;
  /** The most connections to each server. */
  max: number;
  /** Operations so far that got no connection. */
  failed: number;
}

interface PooledConnection {
  address: string;
  connectionId: number | '<monitor>';
}
const keyOf = ({ address, connectionId }: PooledConnection) => `${address} ${connectionId}`;

/** Follows the driver's events of its connection pools. @returns the current number of connections in each state */
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
