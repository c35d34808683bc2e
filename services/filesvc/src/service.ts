import type { Express } from 'express';
import { BACKUP_LEASE } from '@dtplatform/contracts';
import { createLease, newId } from '@dtplatform/mongo';
import type { Mongo } from '@dtplatform/mongo';
import { openObjectStore, s3Errors } from '@dtplatform/object-store';
import { createTasks, createTotals } from '@dtplatform/queue';
import {
  createAccess,
  createServiceApp,
  createUsageRecount,
  defineService,
  openBackends,
  openDatabase,
  permissionsOf,
  usage,
} from '@dtplatform/runtime';
import type { AccessSources, ProcessContext } from '@dtplatform/runtime';
import { asyncTasks } from './asynctasks/asynctasks.module.js';
import type { Config, WorkerConfig } from './config.js';
import { createContent } from './content/content.js';
import { content } from './content/content.module.js';
import { createRequestBodies, measureUploads } from './content/request-bodies.http.js';
import { createDomainEvents } from './events/domain-events.store.js';
import { createFiles } from './files/files.js';
import { files, namespaceJobs } from './files/files.module.js';
import { createDraftStore, createFileStore } from './files/files.store.js';
import { createFormUploads } from './files/form-uploads.js';
import { createPlacements } from './files/placement.js';
import { createRecountSource } from './files/usage.store.js';
import { orphans } from './orphans/orphans.module.js';
import { createInstallations, createReferences, createScanStore } from './orphans/orphans.store.js';
import { createOrphanSweep } from './orphans/sweep-orphans.js';
import { createPreviewMaker, createPreviews } from './previews/previews.js';
import { previews } from './previews/previews.module.js';
import { createPreviewStore } from './previews/previews.store.js';
import { createRenderer } from './previews/renderer.client.js';
import type { RendererOptions } from './previews/renderer.client.js';
import { createTreeRemoval } from './trees/tree-removal.store.js';
import { createTrees } from './trees/trees.js';
import { createTreeStore } from './trees/trees.store.js';
import { createUploadFinisher, createUploadSweep } from './uploads/finish-upload.js';
import { methodOverride, tusProtocol } from './uploads/protocol.http.js';
import { createUploadWriter } from './uploads/upload-writer.store.js';
import { createUploads } from './uploads/uploads.js';
import { uploads } from './uploads/uploads.module.js';
import { createUploadStore } from './uploads/uploads.store.js';
import { createVersions } from './versions/versions.js';
import { versions } from './versions/versions.module.js';
import { createVersionStore } from './versions/versions.store.js';

export const service = defineService({
  name: 'filesvc',
  title: 'Files',
  description: 'Files and folders, with normal and resumable uploads and downloads.',
  documents: new URL('../', import.meta.url),
  resources: [files, uploads, content, versions, previews, asyncTasks, orphans, permissionsOf('filesvc'), usage],
  namespaceJobs,
  hasOutbox: true,
});

export type Deps = Awaited<ReturnType<typeof createDeps>>;

export async function createDeps(config: Config, context: ProcessContext, sources: AccessSources = {}) {
  const backends = await openBackends(service, config, context);
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
    recountUsage: createUsageRecount(backends.mongo, createRecountSource(backends.mongo)),
  };
}

export const createApp = (deps: Deps): Express =>
  createServiceApp(service.createApi(deps), deps, { errorMappers: [s3Errors], before: [methodOverride, tusProtocol] });

/**
 * The worker has no API and no callers.
 * @param program tests run the renderer from source
 */
export async function createWorkerDeps(
  config: WorkerConfig,
  context: ProcessContext,
  { program }: Pick<RendererOptions, 'program'> = {},
) {
  const { mongo, checks } = await openDatabase({ ...service, name: 'filesvc-worker' }, config, context);
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
    checks: { ...checks, s3: () => objects.ping() },
  };
}

function createStores(mongo: Mongo) {
  const events = createDomainEvents(mongo);
  const tasks = createTasks(mongo);
  return {
    events,
    tasks,
    fileStore: createFileStore(mongo, createTotals(mongo), events),
    previewStore: createPreviewStore(mongo, events),
    draftStore: createDraftStore(mongo, events),
    uploadStore: createUploadStore(mongo, events),
    uploadWriter: createUploadWriter(mongo, events),
    treeRemoval: createTreeRemoval(mongo, events),
    versionStore: createVersionStore(mongo, events),
    references: createReferences(mongo),
    installations: createInstallations(mongo),
    scanStore: createScanStore(mongo),
  };
}
