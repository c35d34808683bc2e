import { createHash } from 'node:crypto';
import supertest from 'supertest';
import { loadConfig } from '@dtplatform/config';
import { createLifecycle } from '@dtplatform/lifecycle';
import { createLogger } from '@dtplatform/logging';
import { ensureIndexes } from '@dtplatform/mongo';
import { createGrantTable, createTestTokens, eventually, testEnvironment } from '@dtplatform/testing';
import { createApp } from '../src/app.js';
import { Config } from '../src/config.js';
import { createDeps } from '../src/deps.js';
import type { Deps } from '../src/deps.js';
import { startJobs } from '../src/jobs/start-jobs.js';
import { indexes } from '../src/store/indexes.js';
import { startFileStandIn } from './file-stand-in.js';

export const FILESTORE = '/graphicssvc/api/v1/filestore';
export type Headers = Record<string, string>;
export type TestApp = Awaited<ReturnType<typeof startApp>>;

/** The application on its own database, with workers that a test can start and stop. */
export async function startApp() {
  const files = await startFileStandIn();
  const config = loadConfig(Config, testEnvironment('graphicssvc', files.environment));
  const log = createLogger({ service: 'test', level: config.LOG_LEVEL });
  const tokens = await createTestTokens();

  const createProcess = (graceMs = 5000): Promise<Deps> => {
    const lifecycle = createLifecycle({ log, graceMs });
    const grants = (_mongo: unknown, redis: { client: Parameters<typeof createGrantTable>[0] }) =>
      createGrantTable(redis.client);
    return createDeps({ ...config, SHUTDOWN_GRACE_MS: graceMs }, { log, lifecycle }, { keys: tokens.keys, grants });
  };

  const deps = await createProcess();
  await ensureIndexes(deps.mongo.db, indexes);
  await deps.objects.ensureBucket();
  const api = supertest(createApp(deps));
  const stopWorkers: (() => Promise<void>)[] = [];
  const keys = new Set<string>();

  return {
    api,
    deps,
    files,
    bearer: async (id: string, kind: 'user' | 'trusted' | 'app' = 'user') =>
      `Bearer ${await tokens.issue({ id, kind, appId: kind === 'user' ? 'app' : id })}`,
    put: (headers: Headers, entries: unknown, namespace = 'tower_1') =>
      api
        .put(`${FILESTORE}?nsfilter=${namespace}`)
        .set(headers)
        .send(entries as object),
    /** Waits until the load of a file has a status. @returns the load as callers see it */
    untilStatus: (headers: Headers, fileId: string, status: string) =>
      eventually(
        async () => {
          const { body } = await api.get(`${FILESTORE}/${fileId}?nsfilter=tower_1`).set(headers);
          if (body._status !== status) throw new Error(`the load is ${JSON.stringify(body)}, not ${status}`);
          return body;
        },
        { timeoutMs: 50_000 },
      ),
    /** SHA-256, content type and encoding of the stored version; undefined when it is not stored. */
    async stored({ id, versionId }: { id: string; versionId: string }) {
      const key = `files/${id}/${versionId}`;
      keys.add(key);
      if (!(await deps.objects.head(key))) return undefined;
      const { stream, contentType, contentEncoding } = await deps.objects.get(key);
      const hash = createHash('sha256');
      for await (const chunk of stream) hash.update(chunk as Buffer);
      return { sha256: hash.digest('hex'), contentType, contentEncoding };
    },
    /** A worker in this process. With a grace period of 0 it stops without waiting for its jobs. */
    async startWorker(graceMs = 5000) {
      const worker = await createProcess(graceMs);
      await startJobs(worker, { queuePrefix: config.MONGO_DB });
      const stop = () => worker.lifecycle.stop('the test stops this worker');
      stopWorkers.push(stop);
      return { stop };
    },
    async stop() {
      await Promise.all(stopWorkers.map((stop) => stop()));
      await deps.objects.deleteMany([...keys]);
      await deps.mongo.db.dropDatabase();
      await deps.lifecycle.stop('the test is over');
      await files.stop();
    },
  };
}

export const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
