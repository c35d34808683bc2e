import { MongoServerError } from 'mongodb';
import type { ClientSession } from 'mongodb';
import { type CollectionInfo, type Databases, listCollections } from '../databases.js';

const TRIES = 5;

/** All collections at one point in time, as the session reads them. */
export interface Snapshot {
  collections: CollectionInfo[];
  session: ClientSession;
}

/**
 * Reads all databases at one point in time, while MongoDB keeps the history for it. `mongodump --oplog` needs rights that
 * managed MongoDB does not grant, and dumps the databases of others as well.
 */
export async function withSnapshot<T>(databases: Databases, work: (snapshot: Snapshot) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    const session = databases.client.startSession({ snapshot: true });
    try {
      const collections = await listCollections(databases);
      await chooseTime(databases, collections, session);
      // A collection created between the list and the point in time would be missing.
      if (!isSame(collections, await listCollections(databases))) {
        if (attempt === TRIES) throw new Error('collections are being created: repeat the backup after the migrations');
        continue;
      }
      return await work({ collections, session });
    } catch (error) {
      throw explained(error);
    } finally {
      await session.endSession();
    }
  }
}

/** The session's first read sets the time. */
async function chooseTime(databases: Databases, [first]: CollectionInfo[], session: ClientSession): Promise<void> {
  if (!first) throw new Error('the platform has no collection');
  await databases.of(first.service).collection(first.name).findOne({}, { session });
}

const isSame = (before: CollectionInfo[], after: CollectionInfo[]): boolean =>
  JSON.stringify(before.map(({ service, name }) => [service, name])) ===
  JSON.stringify(after.map(({ service, name }) => [service, name]));

const REASONS: Record<string, string> = {
  SnapshotTooOld:
    'reading took longer than MongoDB keeps the history that a read at one point in time needs: raise ' +
    'minSnapshotHistoryWindowInSeconds (300 by default; db.adminCommand({ setParameter: 1, … })) on every member',
  SnapshotUnavailable: 'a collection was changed, for example by a migration: repeat the backup after it',
  Unauthorized: 'the account may not read all databases of the platform',
  NotAReplicaSet: 'reads at one point in time need a replica set of MongoDB 5 or newer',
};

function explained(error: unknown): unknown {
  if (!(error instanceof MongoServerError)) return error;
  const reason = REASONS[error.codeName ?? ''];
  return reason === undefined ? error : new Error(`${reason} (${error.codeName}: ${error.message})`, { cause: error });
}
