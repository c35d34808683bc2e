import { withBucket } from '../bucket.js';
import type { Context } from '../context.js';
import { isRestoreMark, listCollections, withDatabases } from '../databases.js';
import type { Databases } from '../databases.js';
import { Rejected } from '../failures.js';
import { inParallel } from '../in-parallel.js';
import { WITH_OBJECTS } from '../services.js';
import type { Settings } from '../settings.js';
import { openFolder } from '../store/folder.js';
import type { Folder } from '../store/folder.js';
import { FORMAT, type Manifest, totalsOf } from '../store/manifest.js';
import { copyObjects, type CopiedObjects } from './copy-objects.js';
import { dumpCollection } from './dump-collection.js';
import { holdRemovals } from './hold-removals.js';
import { createObjectCopies } from './object-copies.js';
import { removeOlder } from './retention.js';
import { withSnapshot } from './snapshot.js';

const LANES = 3;

export interface BackupOptions {
  settings: Settings;
  /** The folder of all backups. */
  to: string;
  /** Number of backups to keep. Defaults to all. */
  keep?: number;
  /** Names of the secrets that a restore needs. */
  secrets: readonly string[];
  platformVersion: string;
  /** How long to wait for another backup. Default slightly over two minutes. */
  waitMs?: number;
}

export interface BackupResult {
  backup: string;
  documents: number;
  documentBytes: number;
  databaseSeconds: number;
  objects: number;
  objectBytes: number;
  newObjects: number;
  newObjectBytes: number;
  objectSeconds: number;
  missingObjects: number;
  removedBackups: number;
}

/** Backs up the databases at one point in time, then the objects that they reference. Services keep running. */
export async function runBackup(options: BackupOptions, context: Context): Promise<BackupResult> {
  const { settings, to } = options;
  const folder = openFolder(to);
  return withDatabases(settings, async (databases) => {
    await requireData(databases);
    await folder.prepare();
    const installation = await requireOwnFolder(folder, databases);
    return holdRemovals({ ...context, settings, waitMs: options.waitMs }, (signal) =>
      backUp({ ...options, databases, folder, installation }, { ...context, signal }),
    );
  });
}

async function requireData(databases: Databases): Promise<void> {
  const collections = await listCollections(databases);
  if (collections.length === 0)
    throw new Rejected('no database of the platform has a collection: check MONGO_URL and MONGO_DATABASE_PREFIX');
  if (collections.some(isRestoreMark))
    throw new Rejected('a restore into this platform is running or broke off: repeat the restore first');
}

interface Work extends BackupOptions {
  databases: Databases;
  folder: Folder;
  installation: string | undefined;
}

async function backUp(work: Work, context: Context): Promise<BackupResult> {
  const { folder, installation, platformVersion, secrets, keep } = work;
  const startedAt = new Date();
  const { name, dir } = await folder.begin(startedAt);
  const beganMs = performance.now();
  const dumped = await dumpDatabases(work, dir, context);
  const dumpedMs = performance.now();
  const copied = await copyAll(work, { dir, dumped, startedAt }, context);
  await folder.complete(name, {
    format: FORMAT,
    platformVersion,
    startedAt: startedAt.toISOString(),
    finishedAt: new Date().toISOString(),
    installation,
    databases: dumped,
    objects: copied.list,
    secrets: [...secrets],
  });
  const seconds = {
    databaseSeconds: (dumpedMs - beganMs) / 1000,
    objectSeconds: (performance.now() - dumpedMs) / 1000,
  };
  const removedBackups = keep === undefined ? 0 : await removeOlder(folder, keep, context);
  return {
    ...{ backup: name, ...totalsOf({ databases: dumped }) },
    ...{ objects: copied.list.objects, objectBytes: copied.list.bytes, missingObjects: copied.list.missing },
    ...{ newObjects: copied.newObjects, newObjectBytes: copied.newObjectBytes, removedBackups, ...seconds },
  };
}

async function dumpDatabases({ databases }: Work, dir: string, context: Context): Promise<Manifest['databases']> {
  const dumped: Manifest['databases'] = {};
  await withSnapshot(databases, ({ collections, session }) =>
    inParallel(collections, LANES, async (info) => {
      const collection = await dumpCollection({ ...context, databases, session, dir }, info);
      (dumped[info.service] ??= []).push(collection);
      context.report(`${info.service}.${info.name}: ${collection.documents} documents`);
    }),
  );
  return dumped;
}

function copyAll(
  { settings, folder }: Work,
  { dir, dumped, startedAt }: { dir: string; dumped: Manifest['databases']; startedAt: Date },
  context: Context,
): Promise<CopiedObjects> {
  const dump = dumped[WITH_OBJECTS]?.find(({ name }) => name === 'file_versions')?.file;
  return withBucket(settings, context.signal, (bucket) => {
    const copy = createObjectCopies({ bucket, folder: folder.objects, startedAt, signal: context.signal });
    return copyObjects({ ...context, dir, dump, copy });
  });
}

/** Backups of two platforms in one folder would remove each other. @returns this platform's id */
async function requireOwnFolder(folder: Folder, databases: Databases): Promise<string | undefined> {
  const own = await databases.of(WITH_OBJECTS).collection('installations').findOne();
  const installation = (own as { bucketId?: string } | null)?.bucketId;
  const latest = (await folder.names()).at(-1);
  if (latest === undefined) return installation;
  const { installation: owner } = await folder.manifest(latest);
  if (owner !== undefined && owner !== installation)
    throw new Rejected('the folder holds backups of another installation: choose another folder');
  return installation;
}
