import type { Express } from 'express';
import { BACKUP_LEASE, workspaceDeleted } from '@dtplatform/contracts';
import { startSweep } from '@dtplatform/lease';
import { createLease, defineSchema, newId, parentLockModel } from '@dtplatform/mongo';
import type { Mongo } from '@dtplatform/mongo';
import { openObjectStore, s3Errors } from '@dtplatform/object-store';
import type { ObjectStore } from '@dtplatform/object-store';
import { createTasks, createTotals, emptyNamespaces, queueModels, startRelay, startWorker } from '@dtplatform/queue';
import type { RelayOptions } from '@dtplatform/queue';
import {
  createAccess,
  createServiceApp,
  createUsageRecount,
  openBackends,
  openDatabase,
  permissionRoutes,
  sharedTags,
  usageRoutes,
} from '@dtplatform/service';
import type { AccessSources, Jobs, ProcessContext, RecountUsage, ServiceApi, ServiceDeps } from '@dtplatform/service';
import { asyncTaskRoutes } from './asynctasks/asynctasks.routes.js';
import { removeFiles } from './asynctasks/remove-files.job.js';
import type { Config, WorkerConfig } from './config.js';
import { createContent } from './content/content.js';
import type { Content } from './content/content.js';
import { discardContent } from './content/discard-content.job.js';
import { createRequestBodies, measureUploads } from './content/request-bodies.http.js';
import type { RequestBodies } from './content/request-bodies.http.js';
import {
  contentQueue,
  createDomainEvents,
  namespaceQueue,
  previewQueue,
  removalQueue,
} from './events/domain-events.store.js';
import { draftModel, fileModel, versionModel } from './files/file.model.js';
import { createFiles } from './files/files.js';
import type { Files } from './files/files.js';
import { fileRoutes } from './files/files.routes.js';
import { createDraftStore, createFileStore } from './files/files.store.js';
import { createFormUploads } from './files/form-uploads.js';
import type { FormUploads } from './files/form-uploads.js';
import { createPlacements } from './files/placement.js';
import { createHoldings } from './files/usage.store.js';
import { bucketScanModel, createInstallations, createScanStore, installationModel } from './orphans/orphans.store.js';
import { createReferences } from './orphans/references.store.js';
import { removeOrphans } from './orphans/remove-orphans.job.js';
import { createOrphanSweep } from './orphans/sweep-orphans.js';
import { makePreviews } from './previews/make-previews.job.js';
import { createPreviewMaker } from './previews/make-previews.js';
import { createPreviews } from './previews/previews.js';
import type { Previews } from './previews/previews.js';
import { createPreviewStore } from './previews/previews.store.js';
import { createRenderer } from './previews/renderer.client.js';
import type { RendererOptions } from './previews/renderer.client.js';
import { createNamespaceContents, createTreeRemoval } from './trees/tree-removal.store.js';
import { createTrees } from './trees/trees.js';
import type { Trees } from './trees/trees.js';
import { createTreeStore } from './trees/trees.store.js';
import { createUploadFinisher } from './uploads/finish-upload.js';
import { createUploadWriter } from './uploads/upload-writer.store.js';
import { methodOverride, tusProtocol } from './uploads/protocol.http.js';
import { createUploadSweep } from './uploads/sweep-uploads.js';
import { uploadModel } from './uploads/upload.model.js';
import { createUploads } from './uploads/uploads.js';
import type { Uploads } from './uploads/uploads.js';
import { createUploadStore } from './uploads/uploads.store.js';
import { createVersions } from './versions/versions.js';
import type { Versions } from './versions/versions.js';
import { createVersionStore } from './versions/versions.store.js';

export const createApi = (deps: Deps): ServiceApi => ({
  title: 'Files',
  description: 'Files and folders, normal and resumable uploads, downloads.',
  tags: {
    ...sharedTags,
    files: 'Files and folders.',
    uploads: 'Resumable uploads, in the protocol of the platform and in tus 1.0.',
    content: 'The content of files.',
    fileVersions: 'The versions of files.',
    previews: 'Preview images of the tips of files.',
    fileTasks: 'Deletions that continue after the call has returned.',
  },
  documents: new URL('../', import.meta.url),
  mounts: [
    {
      prefix: '/filesvc/api/v1',
      tables: [fileRoutes(deps), asyncTaskRoutes(deps), permissionRoutes('filesvc', deps), usageRoutes(deps)],
    },
  ],
});

export const createApp = (deps: Deps): Express =>
  createServiceApp(createApi(deps), deps, { errorMappers: [s3Errors], before: [methodOverride, tusProtocol] });

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

/** The models and migrations of this version. Append migrations, and never change one (docs/adr/0013). */
export const schema = defineSchema({
  models: [
    ...queueModels,
    parentLockModel,
    fileModel,
    versionModel,
    uploadModel,
    draftModel,
    bucketScanModel,
    installationModel,
  ],
  migrations: [],
});

const HOUR_MS = 3_600_000;

/**
 * Discards content, makes previews, removes large folders, empties the namespaces of deleted workspaces, relays messages to
 * their queues, recovers uploads and removes orphaned objects, until the lifecycle stops.
 */
export async function startJobs(
  deps: WorkerDeps,
  options: Pick<RelayOptions, 'queuePrefix' | 'redelivery'> = {},
): Promise<Jobs> {
  const { config, mongo, uploadSweep, namespaceContents, previewMaker, tasks, treeRemoval, log, lifecycle } = deps;
  const queues = { redisUrl: config.REDIS_URL, log, ...options };
  const workers = [
    await startWorker({
      ...queues,
      catalogue: contentQueue,
      handlers: { 'content.discard.v1': discardContent(deps) },
    }),
    await startWorker({
      ...queues,
      catalogue: namespaceQueue,
      handlers: { [workspaceDeleted.name]: emptyNamespaces(namespaceContents, tasks) },
    }),
    await startWorker({
      ...queues,
      catalogue: previewQueue,
      handlers: { 'previews.make.v1': makePreviews(previewMaker) },
      // Each job needs as much memory as PREVIEW_MEMORY_BYTES allows.
      concurrency: 1,
    }),
    await startWorker({
      ...queues,
      catalogue: removalQueue,
      handlers: { 'files.remove.v1': removeFiles(tasks, treeRemoval) },
    }),
  ];
  lifecycle.onStop('workers', () => Promise.all(workers.map((worker) => worker.stop(config.SHUTDOWN_GRACE_MS))));

  const relay = await startRelay({ ...queues, mongo });
  lifecycle.onStop('relay', () => relay.stop());

  const recover = () => uploadSweep.run(config.ABANDONED_UPLOAD_HOURS * HOUR_MS);
  const everyMs = config.UPLOAD_SWEEP_EVERY_MS;
  const sweep = startSweep({ what: 'uploads', recover, log, everyMs, idleMs: 3 * everyMs });
  lifecycle.onStop('upload sweep', () => sweep.stop());
  return { workers, relay, gauges: removeOrphans(deps) };
}
