import { createOutbox, createTasks, createTotals } from '@dtplatform/queue';
import { createFoundation } from '@dtplatform/service';
import type { Foundation, Ports as PlatformPorts, ProcessContext } from '@dtplatform/service';
import type { Config } from './config.js';
import { createItems } from './domain/items/items.js';
import type { Items } from './domain/items/items.js';
import type { ItemStore } from './domain/items/ports.js';
import type { Files } from './domain/related-items/ports.js';
import { createRelatedItems } from './domain/related-items/related-items.js';
import type { RelatedItems } from './domain/related-items/related-items.js';
import type { TelemetryConfigStore } from './domain/telemetry/ports.js';
import { createTelemetryConfigs } from './domain/telemetry/telemetry-configs.js';
import type { TelemetryConfigs } from './domain/telemetry/telemetry-configs.js';
import { itemJobs, telemetryJobs } from './jobs/catalogue.js';
import { createItemStore } from './store/item-store.js';
import { createRelatedItemStore } from './store/related-item-store.js';
import { remoteFiles } from './store/remote-files.js';
import { createTelemetryConfigStore } from './store/telemetry-config-store.js';
import { schema } from './store/schema.js';

export interface Deps extends Foundation {
  config: Config;
  items: Items;
  itemStore: ItemStore;
  relatedItems: RelatedItems;
  telemetryConfigs: TelemetryConfigs;
  telemetryConfigStore: TelemetryConfigStore;
}

/** What lies outside this service; tests give their own. */
export interface Ports extends PlatformPorts {
  files?: Files;
}

/** Constructs everything. */
export async function createDeps(config: Config, context: ProcessContext, ports: Ports = {}): Promise<Deps> {
  const foundation = await createFoundation({ name: 'itemsvc', schema }, config, context, ports);
  const { mongo } = foundation;
  const outbox = createOutbox(mongo.db);
  const totals = createTotals(mongo.db);
  const tasks = createTasks(mongo.db);

  const itemStore = createItemStore({ mongo, outbox, totals, cleanUp: itemJobs.messages['item.clean-up'] });
  const relatedItemStore = createRelatedItemStore({ mongo, outbox, totals });
  const createMessage = telemetryJobs.messages['telemetry-config.create'];
  const telemetryConfigStore = createTelemetryConfigStore({ mongo, tasks, createMessage });
  const files = ports.files ?? remoteFiles(foundation.serviceClient(config.FILESVC_URL));
  return {
    ...foundation,
    config,
    items: createItems({ store: itemStore }),
    itemStore,
    relatedItems: createRelatedItems({ store: relatedItemStore, items: itemStore, files }),
    telemetryConfigs: createTelemetryConfigs({ store: telemetryConfigStore }),
    telemetryConfigStore,
  };
}
