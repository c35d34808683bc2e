import { MongoClient } from 'mongodb';
import type { Db } from 'mongodb';
import { SERVICES } from './services.js';
import type { Settings } from './settings.js';
import { WAIT_MS } from './until-available.js';

/** The databases of the platform. */
export interface Databases {
  client: MongoClient;
  of(service: string): Db;
}

/** Connects, and disconnects once `work` has settled. */
export async function withDatabases<T>(settings: Settings, work: (databases: Databases) => Promise<T>): Promise<T> {
  const client = new MongoClient(settings.MONGO_URL, {
    appName: 'backup',
    serverSelectionTimeoutMS: WAIT_MS,
    retryWrites: true,
    writeConcern: { w: 'majority' },
  });
  try {
    await client.connect();
    return await work({ client, of: (service) => client.db(`${settings.MONGO_DATABASE_PREFIX}${service}`) });
  } finally {
    await client.close();
  }
}

/**
 * The collection that exists while a restore works on the databases. A single one, so that it appears and disappears
 * atomically.
 */
export const RESTORE_MARK = { service: SERVICES[0], name: 'restore_in_progress' } as const;

export const isRestoreMark = ({ service, name }: CollectionName): boolean =>
  service === RESTORE_MARK.service && name === RESTORE_MARK.name;

interface CollectionName {
  service: string;
  name: string;
}

export interface CollectionInfo extends CollectionName {
  options: Record<string, unknown>;
}

/** All collections except MongoDB's own. */
export async function listCollections(databases: Databases): Promise<CollectionInfo[]> {
  const found: CollectionInfo[] = [];
  for (const service of SERVICES) {
    const infos = await databases.of(service).listCollections({}, { nameOnly: false }).toArray();
    for (const { name, options = {} } of infos) if (!name.startsWith('system.')) found.push({ service, name, options });
  }
  return found.sort((a, b) => (`${a.service} ${a.name}` < `${b.service} ${b.name}` ? -1 : 1));
}
