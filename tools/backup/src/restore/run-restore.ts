import { RESTART_UPLOADS } from '@dtplatform/contracts';
import { silentLogger } from '@dtplatform/logging';
import type { ObjectStore } from '@dtplatform/object-store';
import { connectRedis, mastersOf } from '@dtplatform/redis';
import type { RedisConnection } from '@dtplatform/redis';
import { withBucket } from '../bucket.js';
import type { Context } from '../context.js';
import { withDatabases } from '../databases.js';
import type { Databases } from '../databases.js';
import { inParallel } from '../in-parallel.js';
import { WITH_OBJECTS } from '../services.js';
import type { RestoreSettings } from '../settings.js';
import { untilAvailable } from '../until-available.js';
import { openFolder } from '../store/folder.js';
import { type Manifest, totalsOf } from '../store/manifest.js';
import { restoreCollection } from './restore-collection.js';
import { type RestoredObjects, restoreObjects } from './restore-objects.js';
import { createTarget } from './target.js';
import { verifyFiles } from './verify-files.js';

const LANES = 3;
/** Restored last in each database: a service is not ready without it. */
const LAST = 'migrations';

export interface RestoreOptions {
  settings: RestoreSettings;
  /** The folder of all backups. */
  from: string;
  /** Defaults to the latest. */
  backup?: string;
  /** Replaces existing data. */
  replace: boolean;
  /** How long to wait for Redis. Default two minutes. */
  waitMs?: number;
}

export interface RestoreResult extends RestoredObjects {
  backup: string;
  documents: number;
  documentBytes: number;
  databaseSeconds: number;
  objectSeconds: number;
  secrets: string[];
}

/** Restores a backup while no service is running. Can be repeated after an interruption. */
export async function runRestore(options: RestoreOptions, context: Context): Promise<RestoreResult> {
  const { settings, from } = options;
  const folder = openFolder(from);
  const { name, manifest } = await folder.find(options.backup);
  const dir = folder.folderOf(name);
  return withDatabases(settings, (databases) =>
    withBucket(settings, context.signal, async (bucket) => {
      await bucket.ensureBucket();
      const target = createTarget({ databases, bucket });
      if (!options.replace) await target.requireEmpty();
      await withRedis(options, context, () => Promise.resolve());
      context.report(
        `backup ${name} of version ${manifest.platformVersion}: comparing all its files with their hashes`,
      );
      await verifyFiles({ dir, objects: folder.objects, manifest }, context);
      await target.empty(name);
      const beganMs = performance.now();
      await restoreDatabases({ databases, dir, manifest }, context);
      const restoredMs = performance.now();
      const objects = await restoreObjects({ ...context, bucket, folder: folder.objects }, dir, manifest);
      const endedMs = performance.now();
      await adopt(databases, bucket, manifest);
      // Queues and caches belong to the previous data. Queued messages are still in the databases.
      await withRedis(options, context, (redis) =>
        Promise.all(mastersOf(redis).map((server) => server.flushdb('ASYNC'))),
      );
      await target.unmark();
      return {
        ...{ backup: name, ...totalsOf(manifest), ...objects, secrets: manifest.secrets },
        databaseSeconds: (restoredMs - beganMs) / 1000,
        objectSeconds: (endedMs - restoredMs) / 1000,
      };
    }),
  );
}

async function restoreDatabases(
  { databases, dir, manifest }: { databases: Databases; dir: string; manifest: Manifest },
  context: Context,
): Promise<void> {
  const all = Object.entries(manifest.databases).flatMap(([service, list]) =>
    list.map((dumped) => ({ service, dumped })),
  );
  const isLast = ({ dumped }: (typeof all)[number]) => dumped.name === LAST;
  for (const some of [all.filter((one) => !isLast(one)), all.filter(isLast)])
    await inParallel(some, LANES, async ({ service, dumped }) => {
      context.signal.throwIfAborted();
      await restoreCollection({ ...context, databases, dir }, service, dumped);
      context.report(`${service}.${dumped.name}: ${dumped.documents} documents, compared`);
    });
}

/** Assigns the bucket to these databases. Unfinished uploads start over, because nobody can copy their parts. */
async function adopt(databases: Databases, bucket: ObjectStore, { installation }: Manifest): Promise<void> {
  await databases.of(WITH_OBJECTS).collection('uploads').updateMany({}, RESTART_UPLOADS);
  if (installation !== undefined) await bucket.put('installation', Buffer.from(installation));
}

/** Connects to Redis once it responds. @throws if it does not */
async function withRedis(
  { settings: { REDIS_URL: url }, waitMs }: RestoreOptions,
  { signal }: Context,
  work: (client: RedisConnection['client']) => Promise<unknown>,
): Promise<void> {
  const redis = await connectRedis({ url, kind: 'producer', log: silentLogger() });
  try {
    await untilAvailable(redis.ping, { what: 'Redis (REDIS_URL)', isOutage: () => true, signal, waitMs });
    await work(redis.client);
  } finally {
    await redis.close();
  }
}
