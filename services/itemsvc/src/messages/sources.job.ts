import { createHash } from 'node:crypto';
import { createLease } from '@dtplatform/mongo';
import type { Mongo } from '@dtplatform/mongo';
import type { Outbox } from '@dtplatform/queue';
import type { ProcessContext } from '@dtplatform/service';
import { ingestionJobs } from '../jobs/catalogue.js';
import type { Connectors } from './mqtt-connectors.js';
import { startSubscriber } from './mqtt.client.js';
import { createSourceStore } from './sources.store.js';

const ID_LENGTH = 12;

type Options = Pick<ProcessContext, 'log' | 'lifecycle'> & {
  mongo: Mongo;
  outbox: Outbox;
  connectors: Connectors;
  refreshMs?: number;
};

/** Receives messages from the brokers that the operator configured. */
export function startSources({ mongo, outbox, connectors, log, lifecycle, refreshMs }: Options): void {
  const sourceStore = createSourceStore({
    mongo,
    outbox,
    groupMessage: ingestionJobs.messages['telemetry.ingest-group'],
  });
  for (const [name, connector] of Object.entries(connectors)) {
    const id = createHash('sha256')
      .update(JSON.stringify([mongo.db.databaseName, name]))
      .digest('hex');
    const subscriber = startSubscriber({
      ...{ name, connector, sourceStore, log, refreshMs },
      // As short as every broker takes.
      clientId: `dtp-${id.slice(0, ID_LENGTH)}`,
      lease: createLease(mongo, `mqtt-${id.slice(0, ID_LENGTH)}`),
    });
    lifecycle.onStop(`MQTT connector ${name}`, () => subscriber.stop());
  }
}
