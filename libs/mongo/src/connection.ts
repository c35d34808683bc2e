import { setTimeout as delay } from 'node:timers/promises';
import type { Connection } from 'mongoose';
import mongoose from 'mongoose';
import type { Logger } from '@dtplatform/logging';
import { MongoServerSelectionError } from './driver.js';
import type { MongoClient } from './driver.js';

/** How often the driver closes connections from before an outage. Default 100 ms. */
const POOL_CHECK_EVERY_MS = 10_000;

/* The only code that touches internals of libraries: an option of the driver, and the client of a Mongoose connection. connect.test.ts fails when either no longer works. */

/** Lowers the frequency of the driver's pool maintenance. Its constructor does not accept the option. */
export function checkPoolsSeldom(client: MongoClient): void {
  Object.assign(client.options, { minPoolSizeCheckFrequencyMS: POOL_CHECK_EVERY_MS });
}

/**
 * Mongoose on our own client. The client that Mongoose creates does not start while the server is unavailable and does
 * not try again; the driver's does both. `connection.setClient` rejects a client without server addresses, as while DNS
 * does not respond for `mongodb+srv`.
 */
export function connectionOf(client: MongoClient, database: string): Connection {
  const connection = mongoose.createConnection();
  connection.set('sanitizeFilter', true);
  connection.set('bufferCommands', false);
  connection.set('autoCreate', false);
  connection.set('autoIndex', false);
  const db = client.db(database);
  Object.assign(connection, { client, db, name: database, readyState: mongoose.ConnectionStates.connected });
  return connection;
}

const RETRY_EVERY_MS = 500;

/**
 * Connects in the background until the first attempt succeeds. The driver reconnects by itself afterwards, but a client
 * whose first attempt failed fails every operation with "Topology is closed" until `connect` is called again.
 */
export function keepConnecting(client: MongoClient, log: Logger) {
  const stopping = new AbortController();
  let failure: Error | undefined;
  const attempt = async (): Promise<boolean> => {
    try {
      await client.connect();
      failure = undefined;
      return true;
    } catch (error) {
      const before = failure;
      failure = error as Error;
      // `logOutages` logs an unavailable server. Here the server rejects the connection, or no address was found.
      if (!(error instanceof MongoServerSelectionError) && failure.message !== before?.message) {
        log.error({ err: error }, 'cannot connect to mongodb');
      }
      return false;
    }
  };
  const firstAttempt = attempt();
  const connecting = (async () => {
    for (let isConnected = await firstAttempt; !isConnected; isConnected = await attempt()) {
      const isTime = await delay(RETRY_EVERY_MS, true, { signal: stopping.signal }).catch(() => false);
      if (!isTime) return;
    }
  })();
  return {
    firstAttempt,
    /** Why no attempt has succeeded yet; the driver's own errors do not say. */
    failure: () => failure,
    async stop() {
      stopping.abort();
      await connecting;
    },
  };
}

/** Logs once when the connection is lost and once when it is restored. */
export function logOutages(client: MongoClient, log: Logger): void {
  let isUnavailable = false;
  client.on('serverHeartbeatFailed', ({ failure }) => {
    if (isUnavailable) return;
    isUnavailable = true;
    log.warn({ err: failure }, 'mongodb is unavailable');
  });
  client.on('serverHeartbeatSucceeded', () => {
    if (isUnavailable) log.info('mongodb is available again');
    isUnavailable = false;
  });
}
