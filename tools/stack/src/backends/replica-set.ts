import { MongoClient, MongoNetworkError, MongoServerError, type Db } from 'mongodb';
import { until } from '../processes/until.js';
import { isListening } from './is-listening.js';

const START_TIMEOUT_MS = 120_000; // after a crash, MongoDB first replays its journal
const NOT_YET_INITIALIZED = 94;
const ALREADY_INITIALIZED = 23;

interface ReplicaSetConfig {
  version: number;
  members: { host: string }[];
}

/** Waits for a mongod, makes it the only member of its replica set, and waits until it is the primary. */
export async function untilPrimary(host: string, signal: AbortSignal): Promise<void> {
  await until('mongod', () => isListening(host), { timeoutMs: START_TIMEOUT_MS, signal });
  await withAdmin(`mongodb://${host}/?directConnection=true`, async (admin) => {
    await until('the replica set', () => joinReplicaSet(admin, host), { timeoutMs: START_TIMEOUT_MS, signal });
    const isPrimary = async () => (await admin.command({ hello: 1 })).isWritablePrimary === true;
    await until('the election of the primary', isPrimary, { timeoutMs: START_TIMEOUT_MS, signal });
  });
}

/** Throws when the URL does not lead to a replica set. */
export async function checkReplicaSet(url: string): Promise<void> {
  await withAdmin(url, async (admin) => {
    const { setName } = await admin.command({ hello: 1 });
    if (setName === undefined) throw new Error('it is not a replica set, so transactions do not work');
  });
}

/**
 * Joins the replica set, or moves its member to this port: stored data contains the member's address. Returns false to
 * be called again: while reading its configuration, mongod reports both that it has none and that it cannot take one;
 * when it finds that it is not a member, it closes all connections.
 */
async function joinReplicaSet(admin: Db, host: string): Promise<boolean> {
  try {
    const { config } = (await admin.command({ replSetGetConfig: 1 })) as { config: ReplicaSetConfig };
    if (config.members[0]?.host === host) return true;
    const members = [{ ...config.members[0], host }];
    await admin.command({ replSetReconfig: { ...config, version: config.version + 1, members }, force: true });
    return true;
  } catch (error) {
    if (error instanceof MongoNetworkError) return false;
    if (codeOf(error) !== NOT_YET_INITIALIZED) throw error;
    return initiate(admin, host);
  }
}

async function initiate(admin: Db, host: string): Promise<boolean> {
  try {
    await admin.command({ replSetInitiate: { _id: 'rs0', members: [{ _id: 0, host }] } });
    return true;
  } catch (error) {
    if (error instanceof MongoNetworkError || codeOf(error) === ALREADY_INITIALIZED) return false;
    throw error;
  }
}

const codeOf = (error: unknown): unknown => (error instanceof MongoServerError ? error.code : undefined);

async function withAdmin(url: string, work: (admin: Db) => Promise<void>): Promise<void> {
  const client = new MongoClient(url, { serverSelectionTimeoutMS: 5_000 });
  try {
    await work(client.db('admin'));
  } finally {
    await client.close();
  }
}
