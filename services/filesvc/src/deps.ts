import { newId } from '@dtplatform/mongo';
import type { Mongo } from '@dtplatform/mongo';
import { createObjectStore } from '@dtplatform/object-store';
import type { ObjectStore } from '@dtplatform/object-store';
import { createTotals } from '@dtplatform/queue';
import { createFoundation } from '@dtplatform/service';
import type { Foundation, Ports, ProcessContext } from '@dtplatform/service';
import { createRequestBodies } from './api/request-bodies.js';
import type { RequestBodies } from './api/request-bodies.js';
import type { Config, MigrationConfig } from './config.js';
import { createDownloads } from './domain/downloads.js';
import type { Downloads } from './domain/downloads.js';
import { createFiles } from './domain/files.js';
import type { Files } from './domain/files.js';
import { createPlacements } from './domain/placement.js';
import { createAppend } from './domain/uploads/append.js';
import { createUploadFinisher } from './domain/uploads/finish-upload.js';
import { createFormUploads } from './domain/uploads/form-uploads.js';
import type { FormUploads } from './domain/uploads/form-uploads.js';
import { createInitiate } from './domain/uploads/initiate.js';
import { createResumableUploads } from './domain/uploads/resumable-uploads.js';
import type { ResumableUploads } from './domain/uploads/resumable-uploads.js';
import { createPartBuffers } from './domain/uploads/part-buffers.js';
import { DEFAULT_PART_BYTES } from './domain/uploads/upload.js';
import { createAnnouncements } from './store/announcements.js';
import { createDraftStore } from './store/draft-store.js';
import { createFileStore } from './store/file-store.js';
import { createUploadStore } from './store/upload-store.js';
import { schema } from './store/schema.js';

export interface Deps extends Foundation {
  config: Config;
  objects: ObjectStore;
  files: Files;
  downloads: Downloads;
  formUploads: FormUploads;
  initiate: ReturnType<typeof createInitiate>;
  resumableUploads: ResumableUploads;
  bodies: RequestBodies;
}

/** Constructs everything. */
export async function createDeps(config: Config, context: ProcessContext, ports: Ports = {}): Promise<Deps> {
  const foundation = await createFoundation({ name: 'filesvc', schema }, config, context, ports);
  const objects = openObjects(config, context);
  const stores = createStores(foundation.mongo);
  const maxFileBytes = config.MAX_FILE_BYTES;
  const placements = createPlacements({ store: stores.files });
  const finisher = createUploadFinisher({ ...stores, objects });
  const buffers = createPartBuffers(DEFAULT_PART_BYTES);
  const append = createAppend({ ...stores, objects, finisher, buffers });
  return {
    ...foundation,
    checks: { ...foundation.checks, s3: () => objects.ping() },
    config,
    objects,
    files: createFiles({ store: stores.files, placements, newId }),
    downloads: createDownloads({ objects, urlTtlSec: config.DOWNLOAD_URL_TTL_SEC }),
    formUploads: createFormUploads({ ...stores, objects, placements, buffers, newId, maxFileBytes }),
    initiate: createInitiate({ ...stores, placements, finisher, newId, maxFileBytes }),
    resumableUploads: createResumableUploads({ ...stores, finisher, append }),
    bodies: createRequestBodies(),
  };
}

export function createStores(mongo: Mongo) {
  const announcements = createAnnouncements(mongo.db);
  return {
    files: createFileStore(mongo, createTotals(mongo.db), announcements),
    uploads: createUploadStore(mongo, announcements),
    drafts: createDraftStore(mongo, announcements),
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
