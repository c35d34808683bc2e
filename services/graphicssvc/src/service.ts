import { createByteBudget } from '@dtplatform/budget';
import { measureBudgets } from '@dtplatform/http';
import { createLease, documentErrors, mongoErrors, newId } from '@dtplatform/mongo';
import { openObjectStore, s3Errors } from '@dtplatform/object-store';
import { createOutbox } from '@dtplatform/queue';
import { redisErrors } from '@dtplatform/redis';
import {
  createAccess,
  createServiceApp,
  defineService,
  openBackends,
  permissionsOf,
  websocketOrigins,
} from '@dtplatform/runtime';
import type { AccessSources, ProcessContext } from '@dtplatform/runtime';
import type { Config } from './config.js';
import { createFileSets } from './filesets/file-sets.js';
import { createFileSetStore } from './filesets/file-sets.store.js';
import { filesets } from './filesets/filesets.module.js';
import { createEviction } from './filestore/eviction.js';
import { createEvictionStore } from './filestore/eviction.store.js';
import { createFileCache } from './filestore/file-cache.store.js';
import { remoteFiles } from './filestore/files.client.js';
import { filestore, loadJobs, namespaceJobs } from './filestore/filestore.module.js';
import { writtenAsViRoutes } from './filestore/filestore.routes.js';
import { createLoading } from './filestore/loading.js';
import { createKnownVersions, createLoads } from './filestore/loads.js';
import { createLoadStore } from './filestore/loads.store.js';
import { createLoadContents } from './filestore/namespaces.store.js';
import { createFileStreams } from './stream/file-streams.js';
import { createStreamServer } from './stream/stream-server.http.js';

export const service = defineService({
  name: 'graphicssvc',
  title: 'Graphics',
  description:
    'The graphics file store: files of the file service, kept close to viewers, and the sets in which they are shown.',
  documents: new URL('../', import.meta.url),
  resources: [filesets, filestore, permissionsOf('graphicssvc')],
  mounts: (parts) => [{ prefix: '/graphicssvc/api/vi', tables: [writtenAsViRoutes(parts)] }],
  hasOutbox: true,
  namespaceJobs,
});

export { describeStream as createAsyncApi } from './stream/describe-stream.http.js';

export type Deps = Awaited<ReturnType<typeof createDeps>>;

export async function createDeps(config: Config, context: ProcessContext, sources: AccessSources = {}) {
  const backends = await openBackends(service, config, context);
  const access = createAccess(backends, config, sources);
  const deps = {
    ...backends,
    checks: { ...backends.checks, ...access.checks },
    authenticate: access.authenticate,
    config,
  };
  const { mongo, registry, log } = backends;
  const objects = openObjectStore(config, context);
  const cache = createFileCache(objects);
  const files = remoteFiles(backends.serviceClient(config.FILESVC_URL));
  const loadMessage = loadJobs.messages['load.process'];
  const loadStore = createLoadStore({ mongo, outbox: createOutbox(mongo), process: loadMessage });
  const fileSetStore = createFileSetStore(mongo);
  const knownVersions = createKnownVersions({ files });
  const memory = createByteBudget(config.STREAM_BUFFER_BYTES);
  measureBudgets(registry, { streams: memory });
  const reads = createByteBudget(config.STREAM_READS_AT_ONCE);
  const streams = createFileStreams({ fileSetStore, files, knownVersions, loadStore, cache, memory, reads });
  return {
    ...deps,
    objects,
    fileSets: createFileSets({ fileSetStore, files, newId }),
    loads: createLoads({ loadStore, files, knownVersions }),
    loading: createLoading({ loadStore, files, cache, log }),
    loadStore,
    eviction: createEviction({
      evictionStore: createEvictionStore(mongo, loadStore),
      cache,
      maxBytes: config.STORE_MAX_BYTES,
      maxIdleDays: config.STORE_MAX_IDLE_DAYS,
    }),
    evictionLease: createLease(mongo, 'eviction'),
    loadContents: createLoadContents({ mongo, files, cache }),
    stream: createStreamServer({
      streams,
      log,
      registry,
      openToken: access.openToken,
      isAllowedOrigin: websocketOrigins(deps),
      errorMappers: [mongoErrors, documentErrors, redisErrors, s3Errors],
      maxConnections: config.STREAM_CONNECTIONS,
      limits: {
        pingEveryMs: config.STREAM_PING_EVERY_MS,
        stallMs: config.STREAM_STALL_MS,
        segmentMs: config.STREAM_SEGMENT_MS,
      },
    }),
  };
}

export const createApp = (deps: Deps) => createServiceApp(service.createApi(deps), deps);

/** Unlike the API, the worker is useless without the object store. */
export async function createWorkerDeps(config: Config, context: ProcessContext, sources?: AccessSources) {
  const deps = await createDeps(config, context, sources);
  return { ...deps, checks: { ...deps.checks, s3: () => deps.objects.ping() } };
}
