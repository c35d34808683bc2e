import { z } from 'zod';
import { ResourceId } from '@dtplatform/contracts';
import { REALM, ScimListener, UserEventName } from '../listeners/scim-listeners.js';
import { ScimServer } from '../servers/scim-server.js';
import { User } from '../users/user.js';

/** A failed delivery to a server. The message goes to the delivery log and contains nothing from the server. */
export class DeliveryFailed extends Error {
  /**
   * Whether calls for other users would fail as well, for example because the server or its token endpoint is
   * unavailable.
   */
  readonly concernsServer: boolean;

  constructor(message: string, { concernsServer, cause }: { concernsServer: boolean; cause?: unknown }) {
    super(message, { cause });
    this.name = 'DeliveryFailed';
    this.concernsServer = concernsServer;
  }
}

export const DeliveryStatus = z
  .enum(['PENDING', 'DELIVERED', 'FAILED', 'SKIPPED', 'CANCELLED'])
  .describe(
    '`PENDING`: waiting for the first or next attempt. `DELIVERED`: the server has the current state of the user, or has deleted the user. ' +
      '`FAILED`: no more attempts. `SKIPPED`: the user was deleted first, so nothing is sent. `CANCELLED`: the server was deleted.',
  );
export type DeliveryStatus = z.infer<typeof DeliveryStatus>;

export const Delivery = z.object({
  _id: ResourceId.describe('The id of the delivery: 24 hexadecimal digits.'),
  scimServerDetailId: ScimServer.shape._id,
  userId: User.shape._id,
  eventName: UserEventName,
  status: DeliveryStatus,
  attempts: z.number().int().min(0).describe('The number of attempts.'),
  lastError: z.string().optional().describe('Why the latest attempt failed. Contains nothing that the server sent.'),
  createdAt: z.number().describe('When the event happened, in milliseconds since 1970.'),
  updatedAt: z
    .number()
    .describe('When the delivery last changed, in milliseconds since 1970. It is removed from the log 30 days later.'),
  expiresAt: z.date(),
  _revision: z.number().int().min(0),
});
export type Delivery = z.infer<typeof Delivery>;

const KEPT_FOR_MS = 30 * 24 * 3_600_000;

/** When an entry that changes now leaves the log. */
export const expiryOf = (nowMs: number): Date => new Date(nowMs + KEPT_FOR_MS);

export const ShownDelivery = Delivery.omit({ _id: true, expiresAt: true, _revision: true })
  .extend({ id: Delivery.shape._id, realmId: ScimListener.shape.realmId })
  .meta({ id: 'ScimDelivery', description: 'The delivery of a user event to a SCIM server.' });

export const showDelivery = ({ _id, expiresAt, _revision, ...shown }: Delivery): z.infer<typeof ShownDelivery> => ({
  id: _id,
  realmId: REALM,
  ...shown,
});

/** A user on a server: its remote id, and pending deliveries. */
export const RemoteUser = z.object({
  /** `remoteUserId` */
  _id: z.string(),
  scimServerDetailId: ScimServer.shape._id,
  userId: User.shape._id,
  remoteId: z.string().optional(),
  /** Number of recorded events. Shows whether more were recorded during a delivery. */
  recorded: z.number().int(),
  /** When the next attempt is due. Absent when nothing is pending. */
  dueAt: z.date().optional(),
  /** When the oldest pending event was recorded or retried by hand. */
  since: z.date(),
  /** Attempts since then. */
  attempts: z.number().int(),
  /** Set while the server has an outdated user, because the latest delivery was abandoned. */
  givenUpAt: z.date().optional(),
  /** One process delivers at a time. */
  lease: z.object({ fence: z.number(), until: z.date().optional() }).optional(),
});
export type RemoteUser = z.infer<typeof RemoteUser>;

export const remoteUserId = (scimServerDetailId: string, userId: string): string => `${scimServerDetailId}/${userId}`;

export interface PendingDeliveries {
  /** The oldest entries. */
  ids: string[];
  hasMore: boolean;
  events: UserEventName[];
}

export interface AttemptOutcome {
  status: DeliveryStatus;
  lastError?: string;
  /** Delay before the next attempt. */
  againInMs?: number;
  isGone?: boolean;
}
