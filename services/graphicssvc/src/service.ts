import type { Express } from 'express';
import { createByteBudget } from '@dtplatform/budget';
import { workspaceDeleted } from '@dtplatform/contracts';
import { measureBudgets } from '@dtplatform/http';
import { startSweep } from '@dtplatform/lease';
import type { NamedLease } from '@dtplatform/lease';
import { createLease, defineSchema, documentErrors, mongoErrors, newId } from '@dtplatform/mongo';
import { openObjectStore, s3Errors } from '@dtplatform/object-store';
import type { ObjectStore } from '@dtplatform/object-store';
import { createOutbox, emptyNamespaces, queueModels, startRelay, startWorker } from '@dtplatform/queue';
import type { NamespaceContents } from '@dtplatform/queue';
import { redisErrors } from '@dtplatform/redis';
import {
  createAccess,
  createServiceApp,
  openBackends,
  permissionRoutes,
  sharedTags,
  websocketOrigins,
} from '@dtplatform/service';
import type { AccessSources, Jobs, ProcessContext, ServiceApi, ServiceDeps } from '@dtplatform/service';
import type { Config } from './config.js';
import { createFileSets } from './filesets/file-sets.js';
import type { FileSets } from './filesets/file-sets.js';
import { createFileSetStore, fileSetModel } from './filesets/file-sets.store.js';
import { fileSetRoutes } from './filesets/filesets.routes.js';
import { createEviction } from './filestore/eviction.js';
import type { Eviction } from './filestore/eviction.js';
import { createEvictionStore } from './filestore/eviction.store.js';
import { createFileCache } from './filestore/file-cache.store.js';
import { remoteFiles } from './filestore/files.client.js';
import { evictFiles, processLoad } from './filestore/filestore.job.js';
import { loadJobs, namespaceJobs } from './filestore/filestore.module.js';
import { filestoreRoutes, writtenAsViRoutes } from './filestore/filestore.routes.js';
import { loadModel } from './filestore/load.model.js';
import { createLoading } from './filestore/loading.js';
import type { Loading } from './filestore/loading.js';
import { createKnownVersions, createLoads } from './filestore/loads.js';
import type { Loads } from './filestore/loads.js';
import { createLoadStore } from './filestore/loads.store.js';
import type { LoadStore } from './filestore/loads.store.js';
import { createNamespaceContents } from './filestore/namespaces.store.js';
import { describeStream } from './stream/describe-stream.http.js';
import { createFileStreams } from './stream/file-streams.js';
import { createStreamServer } from './stream/stream-server.http.js';
import type { Upgrades } from './stream/stream-server.http.js';

export const createApi = (deps: Deps): ServiceApi => ({
  title: 'Graphics',
  description:
    'The graphics file store: files of the file service, kept close to viewers, and the sets in which they are shown.',
  tags: {
    ...sharedTags,
    filestore: 'Loads of graphics files into the store.',
    filesets: 'Sets of files that a viewer shows together.',
  },
  documents: new URL('../', import.meta.url),
  mounts: [
    {
      prefix: '/graphicssvc/api/v1',
      tables: [filestoreRoutes(deps), fileSetRoutes(deps), permissionRoutes('graphicssvc', deps)],
    },
    { prefix: '/graphicssvc/api/vi', tables: [writtenAsViRoutes(deps)] },
  ],
});

export const createApp = (deps: Deps): Express => createServiceApp(createApi(deps), deps);

/** The description of the websocket, for `asyncapi.json`. */
export const createAsyncApi = describeStream;

export interface Deps extends ServiceDeps {
  config: Config;
  objects: ObjectStore;
  fileSets: FileSets;
  loads: Loads;
  loading: Loading;
  loadStore: LoadStore;
  eviction: Eviction;
  /** The process that evicts holds it. */
  evictionLease: NamedLease;
  namespaceContents: NamespaceContents;
  /** Serves websockets. */
  stream: Upgrades;
}

/** Constructs everything, for the service and for its workers. */
export async function createDeps(config: Config, context: ProcessContext, sources: AccessSources = {}): Promise<Deps> {
  const backends = await openBackends({ name: 'graphicssvc', schema }, config, context);
  const { mongo, log } = backends;
  const objects = openObjectStore(config, context);
  const cache = createFileCache(objects);
  const process = loadJobs.messages['load.process'];
  const loadStore = createLoadStore({ mongo, outbox: createOutbox(mongo), process });
  const files = remoteFiles(backends.serviceClient(config.FILESVC_URL));
  const access = createAccess(backends, config, sources);
  const knownVersions = createKnownVersions({ files });
  const fileSetStore = createFileSetStore(mongo);
  const streamMemory = createByteBudget(config.STREAM_BUFFER_BYTES);
  measureBudgets(backends.registry, { streams: streamMemory });
  const streams = createFileStreams({
    ...{ fileSetStore, files, knownVersions, loadStore, cache },
    memory: streamMemory,
    reads: createByteBudget(config.STREAM_READS_AT_ONCE),
  });
  const service = {
    ...backends,
    checks: { ...backends.checks, ...access.checks },
    authenticate: access.authenticate,
    config,
  };
  return {
    ...service,
    objects,
    fileSets: createFileSets({ fileSetStore, files, newId }),
    loads: createLoads({ loadStore, files, knownVersions }),
    loading: createLoading({ loadStore, files, cache, log }),
    loadStore,
    eviction: createEviction({
      ...{ evictionStore: createEvictionStore(mongo, loadStore), cache },
      ...{ maxBytes: config.STORE_MAX_BYTES, maxIdleDays: config.STORE_MAX_IDLE_DAYS },
    }),
    evictionLease: createLease(mongo, 'eviction'),
    namespaceContents: createNamespaceContents({ mongo, files, cache }),
    stream: createStreamServer({
      ...{ streams, log, registry: backends.registry, openToken: access.openToken },
      isAllowedOrigin: websocketOrigins(service),
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

/** The models and migrations of this version. Append migrations, and never change one (docs/adr/0013). */
export const schema = defineSchema({
  models: [...queueModels, loadModel, fileSetModel],
  migrations: [],
});

/**
 * Works on queued loads, empties the namespaces of deleted workspaces, relays the outbox to the queue, removes
 * leftovers and evicts files, until the lifecycle stops.
 */
export async function startJobs(deps: Deps, options: { queuePrefix?: string } = {}): Promise<Jobs> {
  const { config, lifecycle, log, mongo } = deps;
  const queue = { redisUrl: config.REDIS_URL, log, queuePrefix: options.queuePrefix };

  const workers = [
    await startWorker({
      ...queue,
      catalogue: loadJobs,
      handlers: { 'load.process': processLoad(deps.loading) },
      concurrency: config.LOADS_AT_ONCE,
    }),
    await startWorker({
      ...queue,
      catalogue: namespaceJobs,
      handlers: { [workspaceDeleted.name]: emptyNamespaces(deps.namespaceContents) },
    }),
  ];
  lifecycle.onStop('workers', () => Promise.all(workers.map((worker) => worker.stop(config.SHUTDOWN_GRACE_MS))));
  const relay = await startRelay({ ...queue, mongo });
  lifecycle.onStop('outbox relay', () => relay.stop());
  const discardLeftovers = () => deps.loading.discardLeftovers();
  const leftovers = startSweep({ what: 'parts of ended loads', recover: discardLeftovers, log });
  lifecycle.onStop('sweep of leftovers', () => leftovers.stop());

  evictFiles(deps);

  return { workers, relay };
}
