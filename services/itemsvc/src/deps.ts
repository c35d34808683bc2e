import { createOutbox, createTasks, createTotals } from '@dtplatform/queue';
import { createAccess, openBackends } from '@dtplatform/service';
import type { AccessSources, ProcessContext, ServiceDeps } from '@dtplatform/service';
import type { Config } from './config.js';
import { createItems } from './domain/nameduseritems/items.js';
import type { Items } from './domain/nameduseritems/items.js';
import type { Files } from './domain/relateditems/ports.js';
import { createRelatedItems } from './domain/relateditems/related-items.js';
import type { RelatedItems } from './domain/relateditems/related-items.js';
import { createTelemetryConfigs } from './domain/telemetryconfigs/telemetry-configs.js';
import type { TelemetryConfigs } from './domain/telemetryconfigs/telemetry-configs.js';
import { createVersions } from './domain/versions/versions.js';
import type { Versions } from './domain/versions/versions.js';
import { itemJobs, telemetryJobs } from './jobs/catalogue.js';
import { createItemStore } from './store/nameduseritems/item-store.js';
import { createRelatedItemStore } from './store/relateditems/related-item-store.js';
import { remoteFiles } from './store/relateditems/remote-files.js';
import { schema } from './store/schema.js';
import { createTelemetryConfigStore } from './store/telemetryconfigs/telemetry-config-store.js';
import { createVersionStore } from './store/versions/version-store.js';

export interface Deps extends ServiceDeps {
  config: Config;
  items: Items;
  versions: Versions;
  relatedItems: RelatedItems;
  telemetryConfigs: TelemetryConfigs;
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
  const itemStore = createItemStore({ mongo, outbox, totals, cleanUp: itemJobs.messages['item.clean-up'] });
  const versionStore = createVersionStore({ mongo, outbox });
  const relatedItemStore = createRelatedItemStore({ mongo, outbox, totals });
  const createMessage = telemetryJobs.messages['telemetry-config.create'];
  const configStore = createTelemetryConfigStore({ mongo, tasks, createMessage });

  const versions = createVersions({ versionStore });
  return {
    ...backends,
    checks: { ...backends.checks, ...access.checks },
    authenticate: access.authenticate,
    config,
    items: createItems({ itemStore, versionStore }),
    versions,
    relatedItems: createRelatedItems({ relatedItemStore, versions, files }),
    telemetryConfigs: createTelemetryConfigs({ configStore }),
  };
}
