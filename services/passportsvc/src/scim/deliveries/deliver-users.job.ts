import { setTimeout as delay } from 'node:timers/promises';
import pLimit from 'p-limit';
import pTimeout from 'p-timeout';
import { createEgress } from '@dtplatform/egress';
import type { Logger } from '@dtplatform/logging';
import type { Mongo } from '@dtplatform/mongo';
import type { Jobs, ProcessContext } from '@dtplatform/runtime';
import type { WorkerConfig } from '../../config.js';
import { createSealer } from '../../oauth/keys/sealer.js';
import type { ScimServer } from '../servers/scim-server.js';
import { createScimServerStore } from '../servers/scim-servers.store.js';
import type { ScimServerStore } from '../servers/scim-servers.store.js';
import { createUserSource } from '../users/users.store.js';
import { createDeliverUser } from './deliver-user.js';
import type { DeliverUser } from './deliver-user.js';
import { createDeliveryStore } from './deliveries.store.js';
import { createRemoteUserStore } from './remote-users.store.js';
import type { RemoteUserStore } from './remote-users.store.js';
import { createScimClient } from './scim.client.js';
import type { RemoteUsers } from './scim.client.js';

const LOOK_EVERY_MS = 500;
/** While no server is registered. */
const IDLE_MS = 5_000;
const BATCH = 32;
/** Concurrent deliveries per server. */
const CONCURRENCY = 4;
const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 30_000;
/** Reserved for the rest of the shutdown. */
const REST_MS = 1_000;

interface Deps {
  scimServerStore: Pick<ScimServerStore, 'listAll' | 'removeBatch'>;
  remoteUserStore: Pick<RemoteUserStore, 'listDue'>;
  deliver: DeliverUser;
  connect: (server: ScimServer) => RemoteUsers;
  log: Logger;
}

/**
 * Delivers users to registered servers. Several processes may run it: a lease per user and server orders deliveries. A
 * slow or unavailable server delays only its own users.
 */
function startLanes({ scimServerStore, remoteUserStore, deliver, connect, log }: Deps) {
  const stopping = new AbortController();
  /** Aborts running deliveries at the end of the grace period. */
  const aborting = new AbortController();
  const lanes = new Map<string, { run: () => void; idle: () => Promise<void> }>();

  function openLane(server: ScimServer) {
    const remote = connect(server);
    const limit = pLimit(CONCURRENCY);
    let failures = 0;
    let pausedUntil = 0;
    let running: Promise<void> | undefined;
    const isPaused = () => stopping.signal.aborted || performance.now() < pausedUntil;

    function pause(error: unknown): void {
      // Concurrent deliveries fail as well and count once.
      if (isPaused()) return;
      if (failures === 0) log.warn({ err: error, scimServerDetailId: server._id }, 'a SCIM server is unavailable');
      pausedUntil = performance.now() + Math.min(FIRST_PAUSE_MS * 2 ** failures, MAX_PAUSE_MS);
      failures += 1;
    }

    async function deliverOne(id: string): Promise<void> {
      if (isPaused()) return;
      const failure = await deliver(id, remote, aborting.signal).catch((error: unknown) => {
        if (!aborting.signal.aborted) log.warn({ err: error, remoteUser: id }, 'a delivery was interrupted');
        return undefined;
      });
      if (failure?.concernsServer) pause(failure);
      else if (failure) log.warn({ err: failure, remoteUser: id }, 'a user was not delivered');
      else failures = 0;
    }

    async function work(): Promise<void> {
      while (!isPaused()) {
        const due = await remoteUserStore.listDue(server._id, BATCH);
        if (due.length === 0) return;
        await Promise.all(due.map((id) => limit(() => deliverOne(id))));
      }
    }

    return {
      run() {
        running ??= work()
          .catch((error: unknown) => {
            log.warn({ err: error }, 'the events due for a SCIM server could not be read');
          })
          .finally(() => (running = undefined));
      },
      idle: async () => running,
    };
  }

  async function workOn(server: ScimServer): Promise<void> {
    if (server.deletedAt !== undefined) {
      lanes.delete(server._id);
      while (!stopping.signal.aborted && (await scimServerStore.removeBatch(server)));
      return;
    }
    const lane = lanes.get(server._id) ?? openLane(server);
    lanes.set(server._id, lane);
    lane.run();
  }

  /** @returns when to look again */
  async function look(): Promise<number> {
    const servers = await scimServerStore.listAll();
    for (const server of servers) {
      await workOn(server).catch((error: unknown) => {
        log.warn({ err: error, scimServerDetailId: server._id }, 'no events can be delivered to a SCIM server');
      });
    }
    return servers.length > 0 ? LOOK_EVERY_MS : IDLE_MS;
  }

  const looking = (async () => {
    let pauseMs: number | void;
    do pauseMs = await look().catch((error: unknown) => log.warn({ err: error }, 'SCIM servers could not be read'));
    while (await delay(pauseMs ?? LOOK_EVERY_MS, true, { signal: stopping.signal }).catch(() => false));
  })();

  return {
    /** Starts no more deliveries, and aborts running ones after `graceMs`: another process repeats them. */
    async stop(graceMs: number): Promise<void> {
      stopping.abort();
      const ended = looking.then(() => Promise.all([...lanes.values()].map((lane) => lane.idle())));
      await pTimeout(ended, { milliseconds: Math.max(1, graceMs - REST_MS), fallback: () => aborting.abort() });
      await ended;
    },
  };
}

interface Worker extends ProcessContext {
  config: Pick<WorkerConfig, 'EGRESS_ALLOW' | 'SCIM_DELIVERY_GIVE_UP_SEC' | 'SHUTDOWN_GRACE_MS'> &
    Parameters<typeof createSealer>[0];
  mongo: Mongo;
}

/** Delivers users to SCIM servers until the lifecycle stops. @returns the gauges of pending deliveries */
export function deliverUsers({ config, mongo, log, lifecycle }: Worker): NonNullable<Jobs['gauges']> {
  const sealer = createSealer(config);
  const egress = createEgress({ allow: config.EGRESS_ALLOW });
  lifecycle.onStop('calls to SCIM servers', () => egress.close());

  const secretOf = ({ _id, clientSecret }: ScimServer) => clientSecret && sealer.unseal(clientSecret, _id);
  const remoteUserStore = createRemoteUserStore(mongo);
  const users = createUserSource(mongo);
  const giveUpAfterMs = config.SCIM_DELIVERY_GIVE_UP_SEC * 1000;
  const delivery = startLanes({
    scimServerStore: createScimServerStore(mongo),
    remoteUserStore,
    deliver: createDeliverUser({ remoteUserStore, users, giveUpAfterMs }),
    connect: (server) => createScimClient({ ...server, clientSecret: secretOf(server) }, egress),
    log,
  });
  lifecycle.onStop('deliveries to SCIM servers', () => delivery.stop(config.SHUTDOWN_GRACE_MS));
  const deliveries = createDeliveryStore(mongo);
  return [
    {
      name: 'scim_deliveries_pending',
      help: 'User events not yet delivered to a SCIM server.',
      read: () => deliveries.count('PENDING'),
    },
    {
      name: 'scim_deliveries_failed',
      help: 'Users who are out of date on a SCIM server because their latest delivery failed.',
      read: () => remoteUserStore.countGivenUp(),
    },
  ];
}
