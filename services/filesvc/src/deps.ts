import { newId } from '@dtplatform/mongo';
import type { Mongo } from '@dtplatform/mongo';
import { openObjectStore } from '@dtplatform/object-store';
import type { ObjectStore } from '@dtplatform/object-store';
import { createTotals } from '@dtplatform/queue';
import { createAccess, openBackends, openDatabase } from '@dtplatform/service';
import type { AccessSources, ProcessContext, ServiceDeps } from '@dtplatform/service';
import { createRequestBodies } from './api/bodies/request-bodies.js';
import type { RequestBodies } from './api/bodies/request-bodies.js';
import type { Config, WorkerConfig } from './config.js';
import { createContent } from './domain/content/content.js';
import type { Content } from './domain/content/content.js';
import { createFiles } from './domain/files/files.js';
import type { Files } from './domain/files/files.js';
import { createFormUploads } from './domain/files/form-uploads.js';
import type { FormUploads } from './domain/files/form-uploads.js';
import { createPlacements } from './domain/files/placement.js';
import { createUploadFinisher } from './domain/uploads/finish-upload.js';
import { createUploadSweep } from './domain/uploads/sweep-uploads.js';
import { createUploads } from './domain/uploads/uploads.js';
import type { Uploads } from './domain/uploads/uploads.js';
import { createAnnouncements } from './store/announcements.js';
import { createDraftStore } from './store/files/draft-store.js';
import { createFileStore } from './store/files/file-store.js';
import { createUploadStore } from './store/uploads/upload-store.js';
import { schema } from './store/schema.js';

export interface Deps extends ServiceDeps {
  config: Config;
  objects: ObjectStore;
  files: Files;
  content: Content;
  formUploads: FormUploads;
  uploads: Uploads;
  bodies: RequestBodies;
}

/** Constructs everything. */
export async function createDeps(config: Config, context: ProcessContext, sources: AccessSources = {}): Promise<Deps> {
  const backends = await openBackends({ name: 'filesvc', schema }, config, context);
  const objects = openObjectStore(config, context);
  const stores = createStores(backends.mongo);

  const { MAX_FILE_BYTES: maxFileBytes, DOWNLOAD_URL_TTL_SEC: urlTtlSec } = config;
  const placements = createPlacements(stores);
  const finisher = createUploadFinisher({ ...stores, objects });
  const access = createAccess(backends, config, sources);
  return {
    ...backends,
    authenticate: access.authenticate,
    checks: { ...backends.checks, ...access.checks, s3: () => objects.ping() },
    config,
    objects,
    files: createFiles({ ...stores, placements, newId }),
    content: createContent({ objects, urlTtlSec }),
    formUploads: createFormUploads({ ...stores, objects, placements, newId, maxFileBytes }),
    uploads: createUploads({ ...stores, objects, placements, finisher, newId, maxFileBytes }),
    bodies: createRequestBodies(),
  };
}

export type WorkerDeps = Awaited<ReturnType<typeof createWorkerDeps>>;

/** Constructs what the worker needs: it has no API and no callers. */
export async function createWorkerDeps(config: WorkerConfig, context: ProcessContext) {
  const { mongo, checks } = await openDatabase({ name: 'filesvc-worker', schema }, config, context);
  const objects = openObjectStore(config, context);
  const stores = createStores(mongo);
  const finisher = createUploadFinisher({ ...stores, objects });
  const onError = (err: unknown, uploadId: string) =>
    context.log.warn({ err, uploadId }, 'an upload could not be recovered');
  const uploadSweep = createUploadSweep({ ...stores, finisher, onError });
  return { ...context, config, mongo, objects, uploadSweep, checks: { ...checks, s3: () => objects.ping() } };
}

function createStores(mongo: Mongo) {
  const announcements = createAnnouncements(mongo);
  return {
    fileStore: createFileStore(mongo, createTotals(mongo), announcements),
    draftStore: createDraftStore(mongo, announcements),
    uploadStore: createUploadStore(mongo, announcements),
  };
}
