import { createPendingGrants } from '@dtplatform/mongo';
import type { PendingGrants } from '@dtplatform/mongo';
import { createOutbox, createTasks, createTotals } from '@dtplatform/queue';
import { createAccess, createUsageRecount, openBackends } from '@dtplatform/service';
import type { AccessSources, ProcessContext, RecountUsage, ServiceDeps } from '@dtplatform/service';
import { createAsyncTasks, createResponseLinks } from './asynctasks/async-tasks.js';
import type { AsyncTasks } from './asynctasks/async-tasks.js';
import { createAsyncTaskStore, createLinkKey } from './asynctasks/async-tasks.store.js';
import type { Config } from './config.js';
import { createIndexes } from './indexes/indexes.js';
import type { Indexes } from './indexes/indexes.js';
import { createIndexStore } from './indexes/indexes.store.js';
import { bulkJobs, ingestionJobs, itemJobs, telemetryJobs } from './jobs/catalogue.js';
import { createMessages } from './messages/messages.js';
import type { Messages } from './messages/messages.js';
import { createMessageStore } from './messages/messages.store.js';
import { createItems } from './nameduseritems/items.js';
import type { Items } from './nameduseritems/items.js';
import { createItemStore } from './nameduseritems/items.store.js';
import { createReadings } from './readings/readings.js';
import type { Readings } from './readings/readings.js';
import { createReadingStore } from './readings/readings.store.js';
import { createRelatedCollections } from './relatedcollections/related-collections.js';
import type { RelatedCollections } from './relatedcollections/related-collections.js';
import { createRelatedCollectionStore } from './relatedcollections/related-collections.store.js';
import { createBulkStore } from './relateditems/bulk.store.js';
import { remoteFiles } from './relateditems/files.client.js';
import type { Files } from './relateditems/files.client.js';
import { createRelatedItemChanges, createRelatedItems } from './relateditems/related-items.js';
import type { RelatedItemChanges, RelatedItems } from './relateditems/related-items.js';
import { createRelatedItemStore } from './relateditems/related-items.store.js';
import { createSearch } from './search/search.js';
import type { Search } from './search/search.js';
import { createSearchStore } from './search/search.store.js';
import { schema } from './store/schema.js';
import { createTelemetryConfigs } from './telemetryconfigs/telemetry-configs.js';
import type { TelemetryConfigs } from './telemetryconfigs/telemetry-configs.js';
import { createBoundCollections, createTelemetryConfigStore } from './telemetryconfigs/telemetry-configs.store.js';
import { createUpdateLogStore } from './updatelogs/update-logs.store.js';
import type { UpdateLogStore } from './updatelogs/update-logs.store.js';
import { createHoldings } from './usage/recount.store.js';
import { createVersions } from './versions/versions.js';
import type { Versions } from './versions/versions.js';
import { createVersionStore } from './versions/versions.store.js';

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
