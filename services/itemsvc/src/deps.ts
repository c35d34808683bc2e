import { createPendingGrants } from '@dtplatform/mongo';
import type { PendingGrants } from '@dtplatform/mongo';
import { createOutbox, createTasks, createTotals } from '@dtplatform/queue';
import { createAccess, createUsageRecount, openBackends } from '@dtplatform/service';
import type { AccessSources, ProcessContext, RecountUsage, ServiceDeps } from '@dtplatform/service';
import type { Config } from './config.js';
import { createAsyncTasks } from './domain/asynctasks/async-tasks.js';
import type { AsyncTasks } from './domain/asynctasks/async-tasks.js';
import { createResponseLinks } from './domain/asynctasks/response-links.js';
import { createIndexes } from './domain/indexes/indexes.js';
import type { Indexes } from './domain/indexes/indexes.js';
import { createItems } from './domain/nameduseritems/items.js';
import type { Items } from './domain/nameduseritems/items.js';
import { createRelatedCollections } from './domain/relatedcollections/related-collections.js';
import type { RelatedCollections } from './domain/relatedcollections/related-collections.js';
import type { Files } from './domain/relateditems/ports.js';
import { createRelatedItemChanges } from './domain/relateditems/related-item-changes.js';
import type { RelatedItemChanges } from './domain/relateditems/related-item-changes.js';
import { createMessages } from './domain/messages/messages.js';
import type { Messages } from './domain/messages/messages.js';
import { createReadings } from './domain/readings/readings.js';
import type { Readings } from './domain/readings/readings.js';
import { createRelatedItems } from './domain/relateditems/related-items.js';
import type { RelatedItems } from './domain/relateditems/related-items.js';
import { createTelemetryConfigs } from './domain/telemetryconfigs/telemetry-configs.js';
import type { TelemetryConfigs } from './domain/telemetryconfigs/telemetry-configs.js';
import type { UpdateLogStore } from './domain/updatelogs/ports.js';
import { createSearch } from './domain/search/search.js';
import type { Search } from './domain/search/search.js';
import { createVersions } from './domain/versions/versions.js';
import type { Versions } from './domain/versions/versions.js';
import { bulkJobs, ingestionJobs, itemJobs, telemetryJobs } from './jobs/catalogue.js';
import { createAsyncTaskStore } from './store/asynctasks/async-task-store.js';
import { createLinkKey } from './store/asynctasks/link-key.js';
import { createMessageStore } from './store/messages/message-store.js';
import { createIndexStore } from './store/indexes/index-store.js';
import { createItemStore } from './store/nameduseritems/item-store.js';
import { createRelatedCollectionStore } from './store/relatedcollections/related-collection-store.js';
import { createBulkStore } from './store/relateditems/bulk-store.js';
import { createReadingStore } from './store/readings/reading-store.js';
import { createRelatedItemStore } from './store/relateditems/related-item-store.js';
import { remoteFiles } from './store/relateditems/remote-files.js';
import { schema } from './store/schema.js';
import { createSearchStore } from './store/search/search-store.js';
import { createBoundCollections } from './store/telemetryconfigs/bound-collections.js';
import { createTelemetryConfigStore } from './store/telemetryconfigs/telemetry-config-store.js';
import { createUpdateLogStore } from './store/updatelogs/update-log-store.js';
import { createHoldings } from './store/usage/holdings.js';
import { createVersionStore } from './store/versions/version-store.js';

export interface Deps extends ServiceDeps {
  config: Config;
  items: Items;
  versions: Versions;
  updateLogs: UpdateLogStore;
  relatedItems: RelatedItems;
  search: Search;
  relatedCollections: RelatedCollections;
  relatedItemChanges: RelatedItemChanges;
  readings: Readings;
  messages: Messages;
  telemetryConfigs: TelemetryConfigs;
  asyncTasks: AsyncTasks;
  indexes: Indexes;
  pendingGrants: PendingGrants;
  recountUsage: RecountUsage;
}

/** What lies outside this service; tests give their own. */
export interface Ports extends AccessSources {
  files?: Files;
}

/** Constructs everything. */
export async function createDeps(config: Config, context: ProcessContext, ports: Ports = {}): Promise<Deps> {
  const backends = await openBackends({ name: 'itemsvc', schema }, config, context);
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
  const versions = createVersions({ versionStore });
  return {
    ...backends,
    checks: { ...backends.checks, ...access.checks },
    authenticate: access.authenticate,
    config,
    items: createItems({ itemStore, versionStore }),
    versions,
    updateLogs: createUpdateLogStore(mongo),
    search: createSearch({ itemStore, versionStore, relatedItemStore, searchStore: createSearchStore(mongo) }),
    relatedCollections: createRelatedCollections({
      relatedCollectionStore: createRelatedCollectionStore({ mongo, outbox }),
      versions,
    }),
    relatedItems: createRelatedItems({ relatedItemStore, bulkStore, versions, files }),
    relatedItemChanges: createRelatedItemChanges({ relatedItemStore, versions, files }),
    messages: createMessages({ messageStore }),
    readings: createReadings({ readingStore, versions }),
    telemetryConfigs: createTelemetryConfigs({ configStore, boundCollections: createBoundCollections(mongo), links }),
    indexes: createIndexes({ indexStore }),
    pendingGrants,
    recountUsage: createUsageRecount(mongo, createHoldings(mongo)),
    asyncTasks: createAsyncTasks({ taskStore: createAsyncTaskStore(tasks), links }),
  };
}
