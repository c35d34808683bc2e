import { MongoClient } from 'mongodb';
import type { ClientSession, Db } from 'mongodb';
import { commonErrors } from '@dtplatform/errors';
import type { Logger } from '@dtplatform/logging';
import { keepConnecting } from './keep-connecting.js';
import { logOutages } from './log-outages.js';
import { runTransaction } from './transaction.js';

const SERVER_SELECTION_TIMEOUT_MS = 2_000;
const CONNECT_TIMEOUT_MS = 2_000;
const SOCKET_TIMEOUT_MS = 30_000;
const WAIT_FOR_CONNECTION_TIMEOUT_MS = 5_000;

export interface MongoOptions {
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
  client: MongoClient;
  db: Db;
  /** Resolves when the primary answers; rejects within about 2 seconds when it does not. */
  ping: () => Promise<void>;
  /**
   * Runs `fn` in a transaction and commits it. `fn` is called again after a write conflict or a change of primary, so it must
   * have no effect outside the database, must hand `session` to every operation, must not run operations in parallel, and must let
   * errors of the driver through as they are (one that is mapped to another error inside `fn` cannot be retried).
   * Gives up with the last error after 10 seconds of conflicts, and after about 4 seconds when the server is away.
   */
  transaction: <T>(fn: (session: ClientSession) => Promise<T>) => Promise<T>;
  close: () => Promise<void>;
}

/**
 * Opens a client for one database. Resolves when it is connected, or after 2 seconds without it: a service starts without its
 * database, its operations fail within 2 seconds while it is away, and it recovers by itself.
 *
 * Reads and writes are acknowledged by a majority; single writes and reads are retried once by the driver.
 * `undefined` in a document is stored as null (the driver's default: the opposite would turn a filter `{_id: undefined}` into "everything").
 * Where optional fields may be undefined, pass `{ ignoreUndefined: true }` to the insert or update.
 */
export async function connectMongo(options: MongoOptions): Promise<Mongo> {
  const client = new MongoClient(options.url, {
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
  logOutages(client, options.log);
  const connection = keepConnecting(client, options.log);
  await connection.firstAttempt;
  const db = client.db(options.database);

  return {
    client,
    db,
    async ping() {
      const { isWritablePrimary } = await db.command({ hello: 1 }).catch((error: unknown) => {
        throw connection.failure() ?? error;
      });
      // A replica set that is not initiated has members that answer, and no primary.
      if (!isWritablePrimary)
        throw commonErrors.unavailable({ cause: new Error('The server that answers is not the primary.') });
    },
    transaction: (fn) => client.withSession((session) => runTransaction(session, fn)),
    async close() {
      await connection.stop();
      await client.close();
    },
  };
}
