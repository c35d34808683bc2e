import { createObjectStore } from '@dtplatform/object-store';
import type { ObjectStore } from '@dtplatform/object-store';
import { createFoundation } from '@dtplatform/service';
import type { Foundation, Ports, ProcessContext } from '@dtplatform/service';
import type { Config } from './config.js';
import { createFilestore } from './domain/filestore.js';
import type { Filestore } from './domain/filestore.js';
import { createLoading } from './domain/loading.js';
import type { Loading } from './domain/loading.js';
import { createEnqueueLoads } from './jobs/catalogue.js';
import { createFileCache } from './store/file-cache.js';
import { createLoadStore } from './store/load-store.js';
import { createLostLoads } from './store/lost-loads.js';
import type { LostLoads } from './store/lost-loads.js';
import { remoteFiles } from './store/remote-files.js';
import { schema } from './store/schema.js';

export interface Deps extends Foundation {
  config: Config;
  objects: ObjectStore;
  filestore: Filestore;
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
    filestore: createFilestore({ store, files }),
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
