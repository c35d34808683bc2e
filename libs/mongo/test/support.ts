import { setTimeout as delay } from 'node:timers/promises';
import { silentLogger } from '@dtplatform/logging';
import { connectMongo, newId } from '../src/index.js';
import type { Mongo } from '../src/index.js';

export const mongoUrl = process.env.MONGO_URL ?? '';

/** A separate database for one test file. */
export const connectToFreshDatabase = (url = mongoUrl): Promise<Mongo> => connectTo(`test_${newId()}`, url);

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

/** Repeats `attempt` until it does not throw any more, for at most 10 seconds. */
export async function eventually<T>(attempt: () => Promise<T>): Promise<T> {
  for (const deadline = Date.now() + 10_000; ;) {
    try {
      return await attempt();
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await delay(20);
    }
  }
}
