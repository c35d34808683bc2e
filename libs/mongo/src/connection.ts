import mongoose from 'mongoose';
import type { Connection } from 'mongoose';
import type { MongoClient } from './driver.js';

/** How often the driver closes connections from before an outage that nobody has asked for since. By default every 100 ms. */
const POOL_CHECK_EVERY_MS = 10_000;

/*
 * The only place that sets what libraries keep to themselves: an option of the driver, and the client of a connection of
 * Mongoose. connect.test.ts fails when they do not take it any more.
 */

/** Makes the driver look less often for connections to close. Its constructor does not take the option. */
export function checkPoolsSeldom(client: MongoClient): void {
  Object.assign(client.options, { minPoolSizeCheckFrequencyMS: POOL_CHECK_EVERY_MS });
}

/**
 * Mongoose on a client of our own. It would open one itself, but then not start while the server is unavailable, and not
 * try again; the driver's client does both. `connection.setClient` refuses a client that has no address of a server, which
 * is so as long as DNS does not answer for `mongodb+srv`.
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
