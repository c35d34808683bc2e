import { openObjectStore } from '@dtplatform/object-store';
import type { ObjectStore } from '@dtplatform/object-store';
import { createOutbox } from '@dtplatform/queue';
import { createAccess, openBackends } from '@dtplatform/service';
import type { AccessSources, ProcessContext, ServiceDeps } from '@dtplatform/service';
import type { Config } from './config.js';
import { createLoading } from './domain/filestore/loading.js';
import type { Loading } from './domain/filestore/loading.js';
import { createLoads } from './domain/filestore/loads.js';
import type { Loads } from './domain/filestore/loads.js';
import type { LoadStore } from './domain/filestore/ports.js';
import { loadJobs } from './jobs/catalogue.js';
import { createFileCache } from './store/filestore/file-cache.js';
import { createLoadStore } from './store/filestore/load-store.js';
import { remoteFiles } from './store/filestore/remote-files.js';
import { schema } from './store/schema.js';

export interface Deps extends ServiceDeps {
  config: Config;
  objects: ObjectStore;
  loads: Loads;
  loading: Loading;
  loadStore: LoadStore;
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
  return {
    ...backends,
    checks: { ...backends.checks, ...access.checks },
    authenticate: access.authenticate,
    config,
    objects,
    loads: createLoads({ loadStore, files }),
    loading: createLoading({ loadStore, files, cache, log }),
    loadStore,
  };
}
