import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { MongoClient } from 'mongodb';
import { silentLogger } from '@dtplatform/logging';
import { createObjectStore, s3AccessOf } from '@dtplatform/object-store';
import { connectRedis } from '@dtplatform/redis';
import { testEnvironment } from '@dtplatform/testing';
import { runBackup } from '../src/backup/run-backup.js';
import type { BackupOptions } from '../src/backup/run-backup.js';
import { runRestore } from '../src/restore/run-restore.js';
import type { RestoreOptions } from '../src/restore/run-restore.js';
import type { RestoreSettings } from '../src/settings.js';

const env = testEnvironment('backup') as Record<string, string>;
/** A restore empties its Redis database, so no other test may use it: libs/testing uses the first ones, libs/queue 15. */
const redisUrl = env.REDIS_URL!.replace(/\d+$/, (worker) => String(11 + Number(worker)));
export const newId = (): string => randomBytes(12).toString('hex');

/** A separate set of databases and a bucket. */
export function newPlatform() {
  const mark = randomBytes(4).toString('hex');
  const settings: RestoreSettings = {
    MONGO_URL: env.MONGO_URL!,
    MONGO_DATABASE_PREFIX: `test_${mark}_`,
    REDIS_URL: redisUrl,
    S3_ENDPOINT: env.S3_ENDPOINT!,
    S3_REGION: process.env.S3_REGION ?? 'us-east-1',
    S3_FORCE_PATH_STYLE: true,
    S3_ACCESS_KEY: env.S3_ACCESS_KEY!,
    S3_SECRET_KEY: env.S3_SECRET_KEY!,
    S3_BUCKET_PREFIX: `test-${mark}-`,
  };
  const client = new MongoClient(settings.MONGO_URL);
  const bucket = createObjectStore({ ...s3AccessOf(settings), bucket: `${settings.S3_BUCKET_PREFIX}filesvc` });
  const db = (service: string) => client.db(`${settings.MONGO_DATABASE_PREFIX}${service}`);

  return {
    settings,
    bucket,
    db,
    documents: (service: string, collection: string) =>
      db(service).collection<{ _id: string; [field: string]: unknown }>(collection),
    /** A file version with its object, as filesvc stores them. */
    async addVersion(content: Buffer, { stored = true } = {}): Promise<string> {
      const _id = newId();
      const key = `versions/${_id}`;
      if (stored) await bucket.put(key, content, { contentType: 'text/plain' });
      await db('filesvc')
        .collection<{ _id: string }>('file_versions')
        .insertOne({ _id, _fileSize: content.length, internal: { key } } as { _id: string });
      return key;
    },
    async stop() {
      for (const { name } of (await client.db('admin').admin().listDatabases({ nameOnly: true })).databases)
        if (name.startsWith(settings.MONGO_DATABASE_PREFIX)) await client.db(name).dropDatabase();
      await client.close();
      bucket.close();
    },
  };
}

export type Platform = ReturnType<typeof newPlatform>;

/** A folder for backups, and the programs with it. */
export async function newFolder() {
  const root = await mkdtemp(path.join(tmpdir(), 'dtplatform-backup-'));
  const lines: string[] = [];
  const context = { signal: new AbortController().signal, report };
  function report(line: string): void {
    lines.push(line);
    folder.onLine(line);
  }
  const folder = {
    root,
    /** Called with each line, while the reporting program continues. */
    onLine: (_line: string): void => undefined,
    /** The output of the programs. */
    lines,
    backup: ({ settings }: Platform, options: Partial<BackupOptions> = {}) =>
      runBackup({ settings, to: root, secrets: ['mongodb'], platformVersion: '1.2.3', ...options }, context),
    restore: ({ settings }: Platform, options: Partial<RestoreOptions> = {}) =>
      runRestore({ settings, from: root, replace: false, ...options }, context),
    files: async (...parts: string[]) => (await readdir(path.join(root, ...parts))).sort(),
    remove: () => rm(root, { recursive: true, force: true }),
  };
  return folder;
}

export type BackupFolder = Awaited<ReturnType<typeof newFolder>>;

export const withRedis = async <T>(work: (redis: Awaited<ReturnType<typeof connectRedis>>['client']) => Promise<T>) => {
  const redis = await connectRedis({ url: redisUrl, kind: 'producer', log: silentLogger() });
  return work(redis.client).finally(() => redis.close());
};
