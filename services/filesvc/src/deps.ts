import { BACKUP_LEASE } from '@dtplatform/contracts';
import { createLease, newId } from '@dtplatform/mongo';
import type { Mongo } from '@dtplatform/mongo';
import { openObjectStore } from '@dtplatform/object-store';
import type { ObjectStore } from '@dtplatform/object-store';
import { createTasks, createTotals } from '@dtplatform/queue';
import { createAccess, createUsageRecount, openBackends, openDatabase } from '@dtplatform/service';
import type { AccessSources, ProcessContext, RecountUsage, ServiceDeps } from '@dtplatform/service';
import { measureUploads } from './api/bodies/body-metrics.js';
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
import { createOrphanSweep } from './domain/orphans/sweep-orphans.js';
import { createPreviewMaker } from './domain/previews/make-previews.js';
import { createPreviews } from './domain/previews/previews.js';
import type { Previews } from './domain/previews/previews.js';
import { createTrees } from './domain/trees/trees.js';
import type { Trees } from './domain/trees/trees.js';
import { createUploadFinisher } from './domain/uploads/finish-upload.js';
import { createUploadSweep } from './domain/uploads/sweep-uploads.js';
import { createUploads } from './domain/uploads/uploads.js';
import type { Uploads } from './domain/uploads/uploads.js';
import { createVersions } from './domain/versions/versions.js';
import type { Versions } from './domain/versions/versions.js';
import { createRenderer } from './rendering/renderer.js';
import type { RendererOptions } from './rendering/renderer.js';
import { createAnnouncements } from './store/announcements.js';
import { createDraftStore } from './store/files/draft-store.js';
import { createFileStore } from './store/files/file-store.js';
import { createNamespaceContents } from './store/namespaces/namespace-contents.js';
import { createInstallations } from './store/orphans/installations.js';
import { createReferences } from './store/orphans/references.js';
import { createScanStore } from './store/orphans/scan-store.js';
import { createPreviewStore } from './store/previews/preview-store.js';
import { schema } from './store/schema.js';
import { createTreeRemoval } from './store/trees/tree-removal.js';
import { createTreeStore } from './store/trees/tree-store.js';
import { createUploadStore } from './store/uploads/upload-store.js';
import { createHoldings } from './store/usage/holdings.js';
import { createVersionStore } from './store/versions/version-store.js';

export interface Deps extends ServiceDeps {
  config: Config;
  objects: ObjectStore;
  files: Files;
  content: Content;
  trees: Trees;
  versions: Versions;
  previews: Previews;
  formUploads: FormUploads;
  uploads: Uploads;
  bodies: RequestBodies;
  recountUsage: RecountUsage;
}

/** Constructs everything. */
export async function createDeps(config: Config, context: ProcessContext, sources: AccessSources = {}): Promise<Deps> {
  const backends = await openBackends({ name: 'filesvc', schema }, config, context);
  const objects = openObjectStore(config, context);
  const stores = createStores(backends.mongo);

  const { MAX_FILE_BYTES: maxFileBytes, DOWNLOAD_URL_TTL_SEC: urlTtlSec } = config;
  const treeStore = createTreeStore({ ...stores, mongo: backends.mongo, maxCheckMs: config.FOLDER_CHECK_MS });
  const placements = createPlacements(stores);
  const finisher = createUploadFinisher({ ...stores, objects });
  const access = createAccess(backends, config, sources);
  const bodies = createRequestBodies();
  measureUploads(backends.registry, { bodies, objects });
  return {
    ...backends,
    authenticate: access.authenticate,
    checks: { ...backends.checks, ...access.checks, s3: () => objects.ping() },
    config,
    objects,
    files: createFiles({ ...stores, treeStore, placements, newId }),
    content: createContent({ objects, urlTtlSec }),
    trees: createTrees({ ...stores, treeStore }),
    versions: createVersions(stores),
    previews: createPreviews({ objects, urlTtlSec }),
    formUploads: createFormUploads({ ...stores, objects, placements, newId, maxFileBytes }),
    uploads: createUploads({ ...stores, objects, placements, finisher, newId, maxFileBytes }),
    bodies,
    recountUsage: createUsageRecount(backends.mongo, createHoldings(backends.mongo)),
  };
}

export type WorkerDeps = Awaited<ReturnType<typeof createWorkerDeps>>;

/** Constructs what the worker needs: it has no API and no callers. */
export async function createWorkerDeps(
  config: WorkerConfig,
  context: ProcessContext,
  { program }: Pick<RendererOptions, 'program'> = {},
) {
  const { mongo, checks } = await openDatabase({ name: 'filesvc-worker', schema }, config, context);
  const objects = openObjectStore(config, context);
  const stores = createStores(mongo);
  const finisher = createUploadFinisher({ ...stores, objects });
  const notRecovered = (err: unknown, uploadId: string) =>
    context.log.warn({ err, uploadId }, 'an upload could not be recovered');
  const notRemoved = (err: unknown, orphan: object) =>
    context.log.warn({ err, orphan }, 'an orphaned object could not be removed');
  const renderer = createRenderer({
    maxPixels: config.PREVIEW_MAX_PIXELS,
    memoryBytes: config.PREVIEW_MEMORY_BYTES,
    timeoutMs: config.PREVIEW_TIMEOUT_MS,
    program,
  });
  const uploadSweep = createUploadSweep({ ...stores, finisher, onError: notRecovered });
  return {
    ...context,
    config,
    mongo,
    objects,
    uploadSweep,
    previewMaker: createPreviewMaker({
      ...stores,
      objects,
      renderer,
      maxFileBytes: config.PREVIEW_MAX_FILE_BYTES,
    }),
    orphanSweep: createOrphanSweep({ ...stores, bucket: objects, onError: notRemoved }),
    backupLease: createLease(mongo, BACKUP_LEASE.name, BACKUP_LEASE),
    scanStore: stores.scanStore,
    tasks: stores.tasks,
    treeRemoval: stores.treeRemoval,
    namespaceContents: createNamespaceContents(mongo, stores.treeRemoval),
    checks: { ...checks, s3: () => objects.ping() },
  };
}

function createStores(mongo: Mongo) {
  const announcements = createAnnouncements(mongo);
  const tasks = createTasks(mongo);
  return {
    announcements,
    tasks,
    fileStore: createFileStore(mongo, createTotals(mongo), announcements),
    previewStore: createPreviewStore(mongo, announcements),
    draftStore: createDraftStore(mongo, announcements),
    uploadStore: createUploadStore(mongo, announcements),
    treeRemoval: createTreeRemoval(mongo, announcements),
    versionStore: createVersionStore(mongo, announcements),
    references: createReferences(mongo),
    installations: createInstallations(mongo),
    scanStore: createScanStore(mongo),
  };
}
