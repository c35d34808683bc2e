import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { eventually, startService } from '@dtplatform/testing';
import { Config } from '../src/config.js';
import { createApp, createDeps, createWorkerDeps, service as graphicssvc } from '../src/service.js';
import { acceptUpgrades } from '../src/stream/upgrades.http.js';
import { startFileStandIn } from './file-stand-in.js';
import type { StandInFile } from './file-stand-in.js';

export const FILESTORE = '/graphicssvc/api/v1/filestore';
export const FILESETS = '/graphicssvc/api/v1/filesets';
export type Headers = Record<string, string>;
export type TestApp = Awaited<ReturnType<typeof startApp>>;

/** The application on its own database, with workers that a test can start and stop. */
export async function startApp(settings: Record<string, string> = {}) {
  const files = await startFileStandIn();
  const service = await startService({
    ...graphicssvc,
    Config,
    createApp,
    attach: (server, { stream }) => acceptUpgrades(server, stream),
    createDeps: ({ config, sources, ...context }) => createDeps(config, context, sources),
    startWorker: async ({ config, sources, ...context }, options) =>
      graphicssvc.startJobs(await createWorkerDeps(config, context, sources), options),
    environment: { ...files.environment, CORS_ORIGINS: 'https://viewer.example', ...settings },
  });
  const { api, deps, mongo } = service;
  await deps.objects.ensureBucket();
  // Which files she may read is up to filesvc.
  for (const namespace of ['tower_1', 'bridge_2']) {
    await service.grants.allow('olga', namespace, 'filesvc:file:*', ['READ']);
    await service.grants.allow('olga', namespace, 'graphicssvc:fileset:*', ['CREATE']);
  }

  const put = (headers: Headers, entries: unknown, namespace = 'tower_1') =>
    api
      .put(`${FILESTORE}?nsfilter=${namespace}`)
      .set(headers)
      .send(entries as object);
  /** Waits until the load of a file has a status. @returns the load as callers see it */
  const untilStatus = (headers: Headers, fileId: string, status: string) =>
    eventually(
      async () => {
        const { body } = await api.get(`${FILESTORE}/${fileId}?nsfilter=tower_1`).set(headers);
        if (body._status !== status) throw new Error(`the load is ${JSON.stringify(body)}, not ${status}`);
        return body;
      },
      { timeoutMs: 50_000 },
    );
  /** Requests a file and waits until it is loaded. @param wanted the file, or what is special about a new one */
  async function loaded(headers: Headers, wanted: Partial<StandInFile> = {}): Promise<StandInFile> {
    const file = wanted.id ? (wanted as StandInFile) : files.add(wanted);
    await put(headers, [{ _fileId: file.id }]).expect(200);
    await untilStatus(headers, file.id, 'LOADED');
    return file;
  }

  return {
    ...service,
    put,
    untilStatus,
    loaded,
    files,
    /** Stored loads, as the driver shows them. */
    loads: mongo.db.collection<{ _id: string }>('filestore_loads'),
    /** SHA-256, content type and encoding of the stored version; undefined when it is not stored. */
    async stored({ id, versionId }: { id: string; versionId: string }) {
      const key = `files/${id}/${versionId}`;
      if (!(await deps.objects.head(key))) return undefined;
      const { stream, contentType, contentEncoding } = await deps.objects.get(key);
      return { sha256: sha256(await buffer(stream)), contentType, contentEncoding };
    },
    async stop() {
      await service.stop();
      await files.stop();
    },
  };
}

export const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
