import { createObjectStore } from '@dtplatform/object-store';
import type { ObjectStore } from '@dtplatform/object-store';
import { createFoundation } from '@dtplatform/service';
import type { Foundation, Ports, ProcessContext } from '@dtplatform/service';
import type { Config } from './config.js';
import { createLoading } from './domain/filestore/loading.js';
import type { Loading } from './domain/filestore/loading.js';
import { createLoads } from './domain/filestore/loads.js';
import type { Loads } from './domain/filestore/loads.js';
import { createEnqueueLoads } from './jobs/catalogue.js';
import { createFileCache } from './store/file-cache.js';
import { createLoadStore } from './store/filestore/load-store.js';
import { createLostLoads } from './store/filestore/lost-loads.js';
import type { LostLoads } from './store/filestore/lost-loads.js';
import { remoteFiles } from './store/filestore/remote-files.js';
import { schema } from './store/schema.js';

export interface Deps extends Foundation {
  config: Config;
  objects: ObjectStore;
  loads: Loads;
  loading: Loading;
  lostLoads: LostLoads;
}

/** Constructs everything, for the service and for its workers. */
export async function createDeps(config: Config, context: ProcessContext, ports: Ports = {}): Promise<Deps> {
  const foundation = await createFoundation({ name: 'graphicssvc', schema }, config, context, ports);
  const { mongo, log } = foundation;
  const objects = openObjectStore(config);
  context.lifecycle.onStop('object store', () => objects.close());

  const enqueue = createEnqueueLoads(mongo);
  const store = createLoadStore(mongo, enqueue);
  const files = remoteFiles(foundation.serviceClient(config.FILESVC_URL));
  return {
    ...foundation,
    config,
    objects,
    loads: createLoads({ store, files }),
    loading: createLoading({ store, files, cache: createFileCache(objects), log }),
    lostLoads: createLostLoads(mongo, enqueue),
  };
}

type S3Config = Pick<Config, Extract<keyof Config, `S3_${string}`>>;

/** The bucket of the store. */
export const openObjectStore = (config: S3Config): ObjectStore =>
  createObjectStore({
    endpoint: config.S3_ENDPOINT,
    publicEndpoint: config.S3_PUBLIC_ENDPOINT,
    region: config.S3_REGION,
    bucket: config.S3_BUCKET,
    accessKey: config.S3_ACCESS_KEY,
    secretKey: config.S3_SECRET_KEY,
  });
