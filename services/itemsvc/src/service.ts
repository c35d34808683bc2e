import { createPendingGrants } from '@dtplatform/mongo';
import { createOutbox, createTasks, createTotals } from '@dtplatform/queue';
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
import { createAsyncTasks, createResponseLinks } from './asynctasks/async-tasks.js';
import { createAsyncTaskStore, createLinkKey } from './asynctasks/async-tasks.store.js';
import { asynctasks } from './asynctasks/asynctasks.module.js';
import type { Config, WorkerConfig } from './config.js';
import { createIndexes } from './indexes/indexes.js';
import { indexes } from './indexes/indexes.module.js';
import { createIndexBuilder, createIndexStore } from './indexes/indexes.store.js';
import { createIngestion } from './messages/ingestion.js';
import { createIngestionStore } from './messages/ingestion.store.js';
import { createNormalizer, scriptsIn } from './messages/messages.job.js';
import { createMessages } from './messages/messages.js';
import { ingestionJobs, messages } from './messages/messages.module.js';
import { createMessageStore } from './messages/messages.store.js';
import { createSourceStore } from './messages/sources.store.js';
import { createItems } from './nameduseritems/items.js';
import { createItemStore } from './nameduseritems/items.store.js';
import { createLeftovers } from './nameduseritems/leftovers.store.js';
import { itemJobs, nameduseritems } from './nameduseritems/nameduseritems.module.js';
import { createBatches } from './readings/batches.store.js';
import { createReadingRemovals } from './readings/reading-removals.store.js';
import { createReadings } from './readings/readings.js';
import { readings } from './readings/readings.module.js';
import { createReadingStore } from './readings/readings.store.js';
import { createRelatedCollections } from './relatedcollections/related-collections.js';
import { createRelatedCollectionStore } from './relatedcollections/related-collections.store.js';
import { relatedcollections } from './relatedcollections/relatedcollections.module.js';
import { createBulkStore, createBulkWriter } from './relateditems/bulk.store.js';
import { remoteFiles } from './relateditems/files.client.js';
import type { Files } from './relateditems/files.client.js';
import { createRelatedItemChanges, createRelatedItems } from './relateditems/related-items.js';
import { createRelatedItemStore } from './relateditems/related-items.store.js';
import { bulkJobs, relateditems } from './relateditems/relateditems.module.js';
import { createScriptEvaluations } from './scripts/script-evaluations.js';
import { scripts } from './scripts/scripts.module.js';
import { createSearch } from './search/search.js';
import { search } from './search/search.module.js';
import { createSearchStore } from './search/search.store.js';
import { createTelemetryConfigWriter } from './telemetryconfigs/telemetry-config-writer.store.js';
import { createTelemetryConfigs } from './telemetryconfigs/telemetry-configs.js';
import { createBoundCollections, createTelemetryConfigStore } from './telemetryconfigs/telemetry-configs.store.js';
import { telemetryconfigs, telemetryJobs } from './telemetryconfigs/telemetryconfigs.module.js';
import { createUpdateLogStore } from './updatelogs/update-logs.store.js';
import { updatelogs } from './updatelogs/updatelogs.module.js';
import { createRecountSource } from './usage/recount.store.js';
import { createVersions } from './versions/versions.js';
import { versions } from './versions/versions.module.js';
import { createVersionStore } from './versions/versions.store.js';

export const service = defineService({
  name: 'itemsvc',
  title: 'Items',
  description: 'Named items with their versions and related items, and telemetry configurations.',
  documents: new URL('../', import.meta.url),
  resources: [
    // Before the items, whose paths match its own.
    search,
    nameduseritems,
    versions,
    updatelogs,
    // Likewise before the related items.
    readings,
    relateditems,
    relatedcollections,
    indexes,
    telemetryconfigs,
    messages,
    scripts,
    asynctasks,
    permissionsOf('itemsvc'),
    usage,
  ],
  namespaceJobs: itemJobs,
  hasOutbox: true,
});

/** So that a slow script does not block all others. */
const NORMALIZER_THREADS = 2;

/** The outside world, replaced by tests. */
export interface Ports extends AccessSources {
  files?: Files;
}

export type Deps = Awaited<ReturnType<typeof createDeps>>;

export async function createDeps(config: Config, context: ProcessContext, ports: Ports = {}) {
  const backends = await openBackends(service, config, context);
  const access = createAccess(backends, config, ports);
  const files = ports.files ?? remoteFiles(backends.serviceClient(config.FILESVC_URL));

  const { mongo } = backends;
  const outbox = createOutbox(mongo);
  const totals = createTotals(mongo);
  const tasks = createTasks(mongo);
  const pendingGrants = createPendingGrants(mongo, access.grants, context.log);
  const itemStore = createItemStore({
    ...{ mongo, outbox, totals, grants: pendingGrants },
    cleanUp: itemJobs.messages['item.clean-up'],
  });
  const versionStore = createVersionStore({ mongo, outbox, cleanUp: itemJobs.messages['version.clean-up'] });
  const relatedItemStore = createRelatedItemStore({
    ...{ mongo, outbox, totals },
    cleanUp: itemJobs.messages['telemetry-item.clean-up'],
  });
  const readingStore = createReadingStore({ mongo, outbox, totals, log: context.log });
  const { 'telemetry-config.create': createMessage, 'telemetry-config.change': changeMessage } = telemetryJobs.messages;
  const ingestMessage = ingestionJobs.messages['telemetry.ingest'];
  const configStore = createTelemetryConfigStore({ mongo, tasks, createMessage, changeMessage, ingestMessage });
  const messageStore = createMessageStore({ mongo, tasks, ingestMessage });
  const { 'related-index.fill': fill, 'related-index.clear': clear } = itemJobs.messages;
  const indexStore = createIndexStore({ mongo, outbox, fill, clear });
  const bulkStore = createBulkStore({ mongo, tasks, addMessage: bulkJobs.messages['related-items.add'] });

  const links = createResponseLinks({
    url: `${config.BASE_URL}/itemsvc/api/v1/asynctasks`,
    key: createLinkKey(mongo),
  });
  const ofItems = createVersions({ versionStore });
  const sandbox = createNormalizer(1);
  context.lifecycle.onStop('sandbox', () => sandbox.close());
  return {
    ...backends,
    checks: { ...backends.checks, ...access.checks },
    authenticate: access.authenticate,
    config,
    items: createItems({ itemStore, versionStore }),
    versions: ofItems,
    updateLogs: createUpdateLogStore(mongo),
    search: createSearch({ itemStore, versionStore, relatedItemStore, searchStore: createSearchStore(mongo) }),
    relatedCollections: createRelatedCollections({
      relatedCollectionStore: createRelatedCollectionStore({ mongo, outbox }),
      versions: ofItems,
    }),
    relatedItems: createRelatedItems({ relatedItemStore, bulkStore, versions: ofItems, files }),
    relatedItemChanges: createRelatedItemChanges({ relatedItemStore, versions: ofItems, files }),
    messages: createMessages({ messageStore }),
    scriptEvaluations: createScriptEvaluations({ scripts: scriptsIn(sandbox) }),
    readings: createReadings({ readingStore, versions: ofItems }),
    telemetryConfigs: createTelemetryConfigs({ configStore, boundCollections: createBoundCollections(mongo), links }),
    indexes: createIndexes({ indexStore }),
    pendingGrants,
    recountUsage: createUsageRecount(mongo, createRecountSource(mongo)),
    asyncTasks: createAsyncTasks({ taskStore: createAsyncTaskStore(tasks), links }),
  };
}

export const createApp = (deps: Deps) => createServiceApp(service.createApi(deps), deps);

/** @param refreshSourcesMs how often to look for changed MQTT sources */
export async function createWorkerDeps(
  config: WorkerConfig,
  context: ProcessContext,
  { refreshSourcesMs }: { refreshSourcesMs?: number } = {},
) {
  const { mongo, checks } = await openDatabase({ ...service, name: 'itemsvc-worker' }, config, context);
  const outbox = createOutbox(mongo);
  const tasks = createTasks(mongo);
  const readingStore = createReadingStore({ mongo, outbox, totals: createTotals(mongo), log: context.log });
  const ingestionStore = createIngestionStore({ mongo, readingStore });
  const sandbox = createNormalizer(NORMALIZER_THREADS);
  context.lifecycle.onStop('sandbox', () => sandbox.close());
  return {
    ...context,
    config,
    mongo,
    checks,
    outbox,
    tasks,
    leftovers: createLeftovers({ mongo, outbox }),
    indexBuilder: createIndexBuilder(mongo),
    bulkWriter: createBulkWriter({ mongo, outbox }),
    configWriter: createTelemetryConfigWriter(mongo, tasks),
    batches: createBatches(mongo),
    removals: createReadingRemovals({ mongo, outbox }),
    ingestionStore,
    ingestion: createIngestion({ ingestionStore, readingStore, scripts: scriptsIn(sandbox) }),
    sourceStore: createSourceStore({ mongo, outbox, groupMessage: ingestionJobs.messages['telemetry.ingest-group'] }),
    refreshSourcesMs,
  };
}
