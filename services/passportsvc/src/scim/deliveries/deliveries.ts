import type { Listing, Paging, Precondition } from '@dtplatform/contracts';
import { commonErrors } from '@dtplatform/errors';
import type { KeptLease } from '@dtplatform/lease';
import { errors } from '../../errors.js';
import type { ScimListener, UserEventName } from '../listeners/scim-listeners.js';
import type { ScimServer } from '../servers/scim-server.js';
import type { User } from '../users/user.js';
import type { RemoteProfile } from './deliver-user.js';
import type { Delivery, DeliveryStatus, RemoteUser } from './delivery.js';

interface UserEvent {
  event: UserEventName;
  userId: string;
}

/** Tells registered servers of changes of users. */
export interface UserEvents<Session> {
  /** To be called in the transaction that writes the user: the event is delivered if, and only if, that commits. */
  record(session: Session, event: UserEvent): Promise<void>;
}

export interface ScimServerStore {
  /** Servers that are not deleted. */
  find(id: string): Promise<ScimServer | undefined>;
  list(paging: Paging): Promise<Listing<ScimServer>>;
  count(): Promise<number>;
  insert(server: ScimServer): Promise<void>;
  /** Marks the server as deleted and removes its listeners. @returns false when there is none */
  remove(id: string, precondition: Precondition): Promise<boolean>;
  /** All servers, deleted ones too. */
  listAll(): Promise<ScimServer[]>;
  /** Removes a part of what a deleted server leaves behind, in the end the server. @returns whether there may be more */
  removeBatch(server: ScimServer): Promise<boolean>;
}

export interface ScimListenerStore {
  find(id: string): Promise<ScimListener | undefined>;
  list(paging: Paging): Promise<Listing<ScimListener>>;
  /** @throws listenerExists */
  insert(listener: ScimListener): Promise<void>;
  remove(id: string, precondition: Precondition): Promise<boolean>;
}

interface DeliveryFilter {
  scimServerDetailId?: string;
  userId?: string;
  status?: DeliveryStatus;
}

export interface DeliveryStore {
  count(status: DeliveryStatus): Promise<number>;
  find(id: string): Promise<Delivery | undefined>;
  /** The newest first. */
  list(filter: DeliveryFilter, paging: Paging): Promise<Listing<Delivery>>;
  /** Delivers one that was given up once more. @returns it; undefined when it is not given up any more */
  retry(delivery: Delivery): Promise<Delivery | undefined>;
}

/** What is left to deliver. */
export interface RemoteUserStore {
  /** Users whose latest delivery to a server was given up. */
  countGivenUp(): Promise<number>;
  /** Users of a server whose delivery is due and that no process delivers, the longest due first. */
  listDue(scimServerDetailId: string, limit: number): Promise<string[]>;
  /** Claims a user of a server for one attempt. Undefined when another process has, or nothing is due any more. */
  claim(id: string): Promise<RemoteUser | undefined>;
  keep(held: RemoteUser, signal: AbortSignal): KeptLease;
  pending(held: RemoteUser): Promise<PendingDeliveries>;
  /** Remembers the server's id of the user before anything else can fail. */
  remember(held: RemoteUser, remoteId: string): Promise<void>;
  /** Ends an attempt. What was recorded in the meantime is due at once. */
  finish(held: RemoteUser, pending: PendingDeliveries, outcome: AttemptOutcome): Promise<void>;
}

/** What waits to be delivered for a user. */
export interface PendingDeliveries {
  /** The oldest ones. */
  ids: string[];
  /** There are more than these. */
  hasMore: boolean;
  /** The events of all. */
  events: UserEventName[];
}

export interface AttemptOutcome {
  status: DeliveryStatus;
  lastError?: string;
  /** When to try again, in milliseconds from now. */
  againInMs?: number;
  /** The server no longer has the user. */
  isGone?: boolean;
}

/** Whether an address may be called. @returns what is wrong with it, as the end of a sentence that begins with its name */
export type AddressCheck = (url: string) => Promise<string | undefined>;

/** The users of one registered server. Methods reject with `DeliveryFailed`. */
export interface RemoteUsers {
  /**
   * The server's id of the user with our id; undefined when it has none. By its name, if that is known, where the server does
   * not filter by `externalId`.
   */
  find(
    user: Pick<RemoteProfile, 'externalId'> & { userName?: string },
    signal: AbortSignal,
  ): Promise<string | undefined>;
  findByUserName(userName: string, signal: AbortSignal): Promise<string | undefined>;
  /** @returns the server's id of the new user; undefined when it refuses because it has the user already */
  create(user: RemoteProfile, signal: AbortSignal): Promise<string | undefined>;
  /** @returns false when the server does not have the user */
  replace(id: string, user: RemoteProfile, signal: AbortSignal): Promise<boolean>;
  /** Has no effect when the server does not have the user. */
  remove(id: string, signal: AbortSignal): Promise<void>;
}

export interface UserSource {
  find(id: string): Promise<User | undefined>;
}

export type Deliveries = ReturnType<typeof createDeliveries>;

/** The delivery log. */
export function createDeliveries({ deliveryStore }: { deliveryStore: DeliveryStore }) {
  return {
    list: (filter: DeliveryFilter, paging: Paging) => deliveryStore.list(filter, paging),

    /** @throws notFound */
    async get(id: string): Promise<Delivery> {
      const delivery = await deliveryStore.find(id);
      if (!delivery) throw commonErrors.notFound();
      return delivery;
    },

    /** Delivers what was given up once more. @throws notFound, deliveryNotFailed */
    async retry(id: string): Promise<Delivery> {
      const retried = await deliveryStore.retry(await this.get(id));
      if (!retried) throw errors.deliveryNotFailed();
      return retried;
    },
  };
}
