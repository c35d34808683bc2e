import { createHash } from 'node:crypto';
import { createLease } from '@dtplatform/mongo';
import type { Mongo } from '@dtplatform/mongo';
import type { ProcessContext } from '@dtplatform/runtime';
import type { Connectors } from './mqtt-connectors.js';
import { startSubscriber } from './mqtt.client.js';
import type { SourceStore } from './sources.store.js';

const ID_LENGTH = 12;

export interface SourceWorker extends ProcessContext {
  config: { MQTT_CONNECTORS: Connectors };
  mongo: Mongo;
  sourceStore: SourceStore;
  refreshSourcesMs?: number | undefined;
}

export function receiveFromBrokers({
  config,
  mongo,
  sourceStore,
  log,
  lifecycle,
  refreshSourcesMs,
}: SourceWorker): void {
  for (const [name, connector] of Object.entries(config.MQTT_CONNECTORS)) {
    const id = createHash('sha256')
      .update(JSON.stringify([mongo.db.databaseName, name]))
      .digest('hex');
    const subscriber = startSubscriber({
      ...{ name, connector, sourceStore, log, refreshMs: refreshSourcesMs },
      // Short enough for every broker: MQTT 3.1 allows 23 characters.
      clientId: `dtp-${id.slice(0, ID_LENGTH)}`,
      lease: createLease(mongo, `mqtt-${id.slice(0, ID_LENGTH)}`),
    });
    lifecycle.onStop(`MQTT connector ${name}`, () => subscriber.stop());
  }
}
