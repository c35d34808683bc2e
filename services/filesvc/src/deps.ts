import { newId } from '@dtplatform/mongo';
import type { Mongo } from '@dtplatform/mongo';
import { createObjectStore } from '@dtplatform/object-store';
import type { ObjectStore } from '@dtplatform/object-store';
import { createTotals } from '@dtplatform/queue';
import { createFoundation } from '@dtplatform/service';
import type { Foundation, Ports, ProcessContext } from '@dtplatform/service';
import { createRequestBodies } from './api/bodies/request-bodies.js';
import type { RequestBodies } from './api/bodies/request-bodies.js';
import type { Config, MigrationConfig } from './config.js';
import { createContent } from './domain/content/content.js';
import type { Content } from './domain/content/content.js';
import { createFiles } from './domain/files/files.js';
import type { Files } from './domain/files/files.js';
import { createFormUploads } from './domain/files/form-uploads.js';
import type { FormUploads } from './domain/files/form-uploads.js';
import { createPlacements } from './domain/files/placement.js';
import { createUploadFinisher } from './domain/uploads/finish-upload.js';
import { createUploads } from './domain/uploads/uploads.js';
import type { Uploads } from './domain/uploads/uploads.js';
import { createAnnouncements } from './store/announcements.js';
import { createDraftStore } from './store/files/draft-store.js';
import { createFileStore } from './store/files/file-store.js';
import { createUploadStore } from './store/uploads/upload-store.js';
import { schema } from './store/schema.js';

export interface Deps extends Foundation {
  config: Config;
  objects: ObjectStore;
  files: Files;
  content: Content;
  formUploads: FormUploads;
  uploads: Uploads;
  bodies: RequestBodies;
}

/** Constructs everything. */
export async function createDeps(config: Config, context: ProcessContext, ports: Ports = {}): Promise<Deps> {
  const foundation = await createFoundation({ name: 'filesvc', schema }, config, context, ports);
  const objects = openObjects(config, context);
  const stores = createStores(foundation.mongo);
  const { MAX_FILE_BYTES: maxFileBytes, DOWNLOAD_URL_TTL_SEC: urlTtlSec } = config;
  const placements = createPlacements(stores);
  const finisher = createUploadFinisher({ ...stores, objects });
  return {
    ...foundation,
    checks: { ...foundation.checks, s3: () => objects.ping() },
    config,
    objects,
    files: createFiles({ ...stores, placements, newId }),
    content: createContent({ ...stores, objects, urlTtlSec }),
    formUploads: createFormUploads({ ...stores, objects, placements, newId, maxFileBytes }),
    uploads: createUploads({ ...stores, objects, placements, finisher, newId, maxFileBytes }),
    bodies: createRequestBodies(),
  };
}

export function createStores(mongo: Mongo) {
  const announcements = createAnnouncements(mongo.db);
  return {
    fileStore: createFileStore(mongo, createTotals(mongo.db), announcements),
    draftStore: createDraftStore(mongo, announcements),
    uploadStore: createUploadStore(mongo, announcements),
  };
}

type S3Config = Pick<
  MigrationConfig,
  'S3_ENDPOINT' | 'S3_PUBLIC_ENDPOINT' | 'S3_REGION' | 'S3_ACCESS_KEY' | 'S3_SECRET_KEY' | 'S3_BUCKET'
>;

export function openObjects(config: S3Config, { lifecycle }: Pick<ProcessContext, 'lifecycle'>): ObjectStore {
  const objects = createObjectStore({
    endpoint: config.S3_ENDPOINT,
    publicEndpoint: config.S3_PUBLIC_ENDPOINT,
    region: config.S3_REGION,
    bucket: config.S3_BUCKET,
    accessKey: config.S3_ACCESS_KEY,
    secretKey: config.S3_SECRET_KEY,
  });
  lifecycle.onStop('object store', () => objects.close());
  return objects;
}
