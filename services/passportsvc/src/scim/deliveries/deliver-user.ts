import { ENTERPRISE_SCHEMA, USER_SCHEMA } from '../users/attributes.js';
import { profileOf } from '../users/user.js';
import type { User } from '../users/user.js';
import type { UserSource } from '../users/users.store.js';
import { DeliveryFailed } from './delivery.js';
import type { AttemptOutcome, PendingDeliveries, RemoteUser } from './delivery.js';
import type { RemoteUserStore } from './remote-users.store.js';
import type { RemoteUsers } from './scim.client.js';

/** The SCIM resource that servers receive (RFC 7643, sections 4.1 and 4.3). */
export type RemoteProfile = { schemas: string[]; externalId: string; userName: string } & Record<string, unknown>;

function remoteProfileOf(user: User): RemoteProfile {
  const { enterprise, ...profile } = profileOf(user);
  return {
    schemas: [USER_SCHEMA, ...(enterprise ? [ENTERPRISE_SCHEMA] : [])],
    ...profile,
    ...(enterprise && { [ENTERPRISE_SCHEMA]: enterprise }),
    externalId: user._id,
  };
}

const FIRST_RETRY_MS = 500;
const MAX_RETRY_MS = 5 * 60_000;

interface Deps {
  remoteUserStore: RemoteUserStore;
  users: UserSource;
  /** How long to retry, from the oldest pending event (`RemoteUser.since`). */
  giveUpAfterMs: number;
}

type Outcome = AttemptOutcome & { error?: DeliveryFailed };

export type DeliverUser = ReturnType<typeof createDeliverUser>;

/** Delivers the current state of a user, not each event: in a queue, a retried event could overtake a later one. */
export function createDeliverUser({ remoteUserStore, users, giveUpAfterMs }: Deps) {
  async function attempt(
    held: RemoteUser,
    { ids, events }: PendingDeliveries,
    server: RemoteUsers,
    signal: AbortSignal,
  ): Promise<Outcome> {
    const user = await users.find(held.userId);
    if (ids.length === 0) return { status: 'DELIVERED', isGone: !user };
    if (user) {
      const profile = remoteProfileOf(user);
      const remember = (remoteId: string) => remoteUserStore.remember(held, remoteId);
      // Only the first attempt of a creation can be sure that the server does not have the user.
      const isNew = held.attempts === 1 && !held.remoteId && events.includes('CREATE');
      await put(held.remoteId, profile, { server, signal, isNew, remember });
      return { status: 'DELIVERED' };
    }
    if (!events.includes('DELETE')) return { status: 'SKIPPED', isGone: true };
    const remoteId = held.remoteId ?? (await server.find({ externalId: held.userId }, signal));
    if (remoteId !== undefined) await server.remove(remoteId, signal);
    return { status: 'DELIVERED', isGone: true };
  }

  function failed(held: RemoteUser, error: unknown): Outcome {
    // The process is stopping, the lease is lost or the database failed: another attempt begins once the lease expires.
    if (!(error instanceof DeliveryFailed)) throw error;
    const hasTimeLeft = Date.now() - held.since.getTime() < giveUpAfterMs;
    const outcome = { error, lastError: error.message };
    if (!hasTimeLeft) return { ...outcome, status: 'FAILED' };
    return { ...outcome, status: 'PENDING', againInMs: retryInMs(held.attempts) };
  }

  /**
   * Claims a user of a server, sends its current state and records the outcome. One delivery covers all pending events.
   * @returns the failure, if any
   */
  return async function deliver(
    id: string,
    server: RemoteUsers,
    stopping: AbortSignal,
  ): Promise<DeliveryFailed | undefined> {
    const held = await remoteUserStore.claim(id);
    if (!held) return undefined;
    const lease = remoteUserStore.keep(held, stopping);
    try {
      const pending = await remoteUserStore.pending(held);
      const outcome = await attempt(held, pending, server, lease.signal).catch((error: unknown) => failed(held, error));
      await remoteUserStore.finish(held, pending, outcome);
      return outcome.error;
    } finally {
      lease.stop();
    }
  };
}

interface Put {
  server: RemoteUsers;
  signal: AbortSignal;
  isNew: boolean;
  remember: (remoteId: string) => Promise<void>;
}

/** Creates or replaces a user. @param remoteId the server's id, if known */
async function put(remoteId: string | undefined, profile: RemoteProfile, { server, signal, isNew, remember }: Put) {
  if (remoteId !== undefined && (await server.replace(remoteId, profile, signal))) return;
  // An earlier attempt, whose response was lost, or another program may have created it: adopt that user.
  const found = isNew ? undefined : await server.find(profile, signal);
  if (found !== undefined) return adopt(found);
  const created = await server.create(profile, signal);
  if (created !== undefined) return remember(created);
  const taken = (await server.find(profile, signal)) ?? (await server.findByUserName(profile.userName, signal));
  if (taken !== undefined) return adopt(taken);
  throw new DeliveryFailed('the server reports a conflict, but has no user with this externalId or userName', {
    concernsServer: false,
  });

  async function adopt(id: string): Promise<void> {
    await remember(id);
    if (await server.replace(id, profile, signal)) return;
    throw new DeliveryFailed('the server does not have the user that it just listed', { concernsServer: false });
  }
}

/** Doubles with each attempt. Jitter spreads the users of a server that was down. */
const retryInMs = (attempts: number): number =>
  Math.min(FIRST_RETRY_MS * 2 ** (attempts - 1), MAX_RETRY_MS) * (0.75 + Math.random() / 2);
