import { createEgress } from '@dtplatform/egress';
import type { Mongo } from '@dtplatform/mongo';
import type { Jobs, ProcessContext } from '@dtplatform/service';
import type { WorkerConfig } from '../config.js';
import { createSealer } from '../domain/keys/sealer.js';
import { createDeliverUser } from '../domain/scim-delivery/deliver-user.js';
import type { ScimServer } from '../domain/scim-delivery/scim-server.js';
import { createDeliveryStore } from '../store/scim-delivery/delivery-store.js';
import { createRemoteUserStore } from '../store/scim-delivery/remote-user-store.js';
import { createScimClient } from '../store/scim-delivery/scim-client.js';
import { createScimServerStore } from '../store/scim-delivery/scim-server-store.js';
import { createUserSource } from '../store/scim/user-store.js';
import { deliverUsers } from './deliver-users.job.js';

/** Delivers users to SCIM servers until the lifecycle stops. @returns how much of that is pending */
export function startUserDelivery({
  config,
  mongo,
  log,
  lifecycle,
}: ProcessContext & { config: WorkerConfig; mongo: Mongo }): Required<Pick<Jobs, 'gauges'>> {
  const sealer = createSealer(config);
  const egress = createEgress({ allow: config.EGRESS_ALLOW });
  lifecycle.onStop('calls to SCIM servers', () => egress.close());

  const secretOf = ({ _id, clientSecret }: ScimServer) => clientSecret && sealer.unseal(clientSecret, _id);
  const remoteUserStore = createRemoteUserStore(mongo);
  const users = createUserSource(mongo);
  const giveUpAfterMs = config.SCIM_DELIVERY_GIVE_UP_SEC * 1000;
  const delivery = deliverUsers({
    scimServerStore: createScimServerStore(mongo),
    remoteUserStore,
    deliver: createDeliverUser({ remoteUserStore, users, giveUpAfterMs }),
    connect: (server) => createScimClient({ ...server, clientSecret: secretOf(server) }, egress),
    log,
  });
  lifecycle.onStop('deliveries to SCIM servers', () => delivery.stop(config.SHUTDOWN_GRACE_MS));
  const deliveries = createDeliveryStore(mongo);
  return {
    gauges: [
      {
        name: 'scim_deliveries_pending',
        help: 'Events of users that a SCIM server does not know yet.',
        read: () => deliveries.count('PENDING'),
      },
      {
        name: 'scim_deliveries_failed',
        help: 'Users that a SCIM server does not know as they are, because their latest delivery was given up.',
        read: () => remoteUserStore.countGivenUp(),
      },
    ],
  };
}
