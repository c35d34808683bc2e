import { afterAll } from '@jest/globals';
import { silentLogger } from '@dtplatform/logging';
import { connectMongo, newId } from '../src/index.js';
import type { Mongo } from '../src/index.js';

export { eventually } from '../../testing/src/eventually.js';

export const mongoUrl = process.env.MONGO_URL ?? '';

/** A separate database. */
export const connectToFreshDatabase = (url = mongoUrl): Promise<Mongo> => connectTo(`test_${newId()}`, url);

/** A separate database for one test file, which is dropped after its tests. */
export async function useDatabase(): Promise<Mongo> {
  const mongo = await connectToFreshDatabase();
  afterAll(async () => {
    await mongo.db.dropDatabase();
    await mongo.close();
  });
  return mongo;
}

/** A separate connection to a database. */
export const connectTo = (database: string, url = mongoUrl): Promise<Mongo> =>
  connectMongo({ url, database, appName: 'test', log: silentLogger() });

/** The same server through another port only. */
export function throughPort(url: string, port: number): string {
  const changed = new URL(url);
  changed.host = `127.0.0.1:${port}`;
  changed.searchParams.set('directConnection', 'true');
  return changed.href;
}

export const failureOf = (attempt: Promise<unknown>): Promise<unknown> =>
  attempt.then(
    () => undefined,
    (error: unknown) => error,
  );
