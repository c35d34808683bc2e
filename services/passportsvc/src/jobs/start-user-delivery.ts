import { createEgress } from '@dtplatform/egress';
import type { Mongo } from '@dtplatform/mongo';
import type { ProcessContext } from '@dtplatform/service';
import { createSealer } from '../domain/keys/sealer.js';
import { createDeliverUser } from '../domain/scim-delivery/deliver-user.js';
import type { ScimServer } from '../domain/scim-delivery/scim-server.js';
import { createRemoteUserStore } from '../store/scim-delivery/remote-user-store.js';
import { createScimClient } from '../store/scim-delivery/scim-client.js';
import { createScimServerStore } from '../store/scim-delivery/scim-server-store.js';
import { createUserStore } from '../store/scim/user-store.js';
import { deliverUsers } from './deliver-users.job.js';

interface Config {
  KEY_ENCRYPTION_KEY: string;
  KEY_ENCRYPTION_KEY_PREVIOUS?: string;
  EGRESS_ALLOW: string[];
  SCIM_DELIVERY_GIVE_UP_SEC: number;
  SHUTDOWN_GRACE_MS: number;
}

/** Delivers users to SCIM servers until the lifecycle stops. */
export function startUserDelivery({
  config,
  mongo,
  log,
  lifecycle,
}: ProcessContext & { config: Config; mongo: Mongo }): void {
  const sealer = createSealer(config);
  const egress = createEgress({ allow: config.EGRESS_ALLOW });
  lifecycle.onStop('calls to SCIM servers', () => egress.close());

  const secretOf = ({ _id, clientSecret }: ScimServer) => clientSecret && sealer.unseal(clientSecret, _id);
  const remoteUserStore = createRemoteUserStore(mongo);
  const users = createUserStore(mongo);
  const giveUpAfterMs = config.SCIM_DELIVERY_GIVE_UP_SEC * 1000;
  const delivery = deliverUsers({
    scimServerStore: createScimServerStore(mongo),
    remoteUserStore,
    deliver: createDeliverUser({ remoteUserStore, users, giveUpAfterMs }),
    connect: (server) => createScimClient({ ...server, clientSecret: secretOf(server) }, egress),
    log,
  });
  lifecycle.onStop('deliveries to SCIM servers', () => delivery.stop(config.SHUTDOWN_GRACE_MS));
}
