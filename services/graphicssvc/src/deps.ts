import type { NamedLease } from '@dtplatform/lease';
import { createLease, documentErrors, mongoErrors, newId } from '@dtplatform/mongo';
import { createByteBudget } from '@dtplatform/budget';
import { measureBudgets } from '@dtplatform/http';
import { openObjectStore, s3Errors } from '@dtplatform/object-store';
import type { ObjectStore } from '@dtplatform/object-store';
import { createOutbox } from '@dtplatform/queue';
import type { NamespaceContents } from '@dtplatform/queue';
import { redisErrors } from '@dtplatform/redis';
import { createAccess, openBackends, websocketOrigins } from '@dtplatform/service';
import type { AccessSources, ProcessContext, ServiceDeps } from '@dtplatform/service';
import { createStreamServer } from './api/stream/stream-server.js';
import type { Upgrades } from './api/stream/upgrades.js';
import type { Config } from './config.js';
import { createFileSets } from './domain/filesets/file-sets.js';
import type { FileSets } from './domain/filesets/file-sets.js';
import { createEviction } from './domain/filestore/eviction.js';
import type { Eviction } from './domain/filestore/eviction.js';
import { createKnownVersions } from './domain/filestore/known-versions.js';
import { createLoading } from './domain/filestore/loading.js';
import type { Loading } from './domain/filestore/loading.js';
import { createLoads } from './domain/filestore/loads.js';
import type { Loads } from './domain/filestore/loads.js';
import type { LoadStore } from './domain/filestore/ports.js';
import { createFileStreams } from './domain/stream/file-streams.js';
import { loadJobs } from './jobs/catalogue.js';
import { createFileSetStore } from './store/filesets/file-set-store.js';
import { createEvictionStore } from './store/filestore/eviction-store.js';
import { createFileCache } from './store/filestore/file-cache.js';
import { createLoadStore } from './store/filestore/load-store.js';
import { remoteFiles } from './store/filestore/remote-files.js';
import { createNamespaceContents } from './store/namespaces/namespace-contents.js';
import { schema } from './store/schema.js';

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
