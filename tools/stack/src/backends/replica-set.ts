import { MongoClient, MongoServerError, type Db, type Document } from 'mongodb';
import { until } from '../processes/until.js';
import { isListening } from './is-listening.js';

const START_TIMEOUT_MS = 120_000; // after a crash, MongoDB first replays its journal
const NOT_YET_INITIALIZED = 94;

/** Waits for a mongod, makes it the only member of its replica set, and waits until it is the primary. */
export async function untilPrimary(host: string, signal: AbortSignal): Promise<void> {
  await until('mongod', () => isListening(host), { timeoutMs: START_TIMEOUT_MS, signal });
  await withAdmin(`mongodb://${host}/?directConnection=true`, async (admin) => {
    await joinReplicaSet(admin, host);
    const isPrimary = async () => (await admin.command({ hello: 1 })).isWritablePrimary === true;
    await until('the election of the primary', isPrimary, { timeoutMs: START_TIMEOUT_MS, signal });
  });
}

/** Throws when the URL names no replica set. */
export async function checkReplicaSet(url: string): Promise<void> {
  await withAdmin(url, async (admin) => {
    const { setName } = await admin.command({ hello: 1 });
    if (setName === undefined) throw new Error('it is no replica set, so transactions do not work there');
  });
}

/** The set knows its member by address; data that was used on another port knows another one. */
async function joinReplicaSet(admin: Db, host: string): Promise<void> {
  const config = await currentConfig(admin);
  if (config === undefined) {
    await admin.command({ replSetInitiate: { _id: 'rs0', members: [{ _id: 0, host }] } });
  } else if (config.members[0].host !== host) {
    const members = [{ ...config.members[0], host }];
    await admin.command({ replSetReconfig: { ...config, version: config.version + 1, members }, force: true });
  }
}

async function currentConfig(admin: Db): Promise<Document | undefined> {
  try {
    return (await admin.command({ replSetGetConfig: 1 })).config;
  } catch (error) {
    if (error instanceof MongoServerError && error.code === NOT_YET_INITIALIZED) return undefined;
    throw error;
  }
}

async function withAdmin(url: string, work: (admin: Db) => Promise<void>): Promise<void> {
  const client = new MongoClient(url, { serverSelectionTimeoutMS: 5_000 });
  try {
    await work(client.db('admin'));
  } finally {
    await client.close();
  }
}
