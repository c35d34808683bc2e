import { defineModel, id, number, text } from '@dtplatform/mongo';
import type { DeadLetter, Message } from './message.js';
import type { CannotIngest } from './normalize.js';

/** Dead letters are removed after so many days. */
const KEPT_FOR_DAYS = 14;

/** Messages whose readings are not stored yet. */
export const messageModel = defineModel<Message & { namespaces: string[] }>(
  'telemetry_messages',
  {
    _id: id,
    configId: id,
    groupId: id,
    content: text,
    bytes: number,
    createdAt: number,
    /** Of the configuration, for the limit. */
    namespaces: [String],
  },
  {
    indexes: [
      { key: { groupId: 1, _id: 1 }, name: 'group' },
      { key: { configId: 1, bytes: 1 }, name: 'config_bytes' },
      { key: { namespaces: 1, bytes: 1 }, name: 'namespace_bytes' },
    ],
  },
);
/** What becomes of a message that fails. */
export const deadLetterOf = (message: Message, { code, message: reason }: CannotIngest): DeadLetter => ({
  ...message,
  code,
  reason,
  failedAt: new Date(),
});

export const deadLetterModel = defineModel<DeadLetter>(
  'telemetry_dead_letters',
  {
    _id: id,
    configId: id,
    groupId: id,
    content: text,
    bytes: number,
    createdAt: number,
    code: text,
    reason: text,
    failedAt: Date,
  },
  {
    indexes: [
      { key: { configId: 1, _id: 1, bytes: 1 }, name: 'config_bytes' },
      { key: { groupId: 1 }, name: 'group' },
      { key: { failedAt: 1 }, name: 'expiry', expireAfterSeconds: KEPT_FOR_DAYS * 86_400 },
    ],
  },
);

/** Brokers repeat a message when they lost the connection before its acknowledgement: soon, or after an outage of theirs. */
const KEPT_FOR_SEC = 24 * 3600;

/** A message of a broker that is stored. */
export interface StoredDelivery {
  /** Hash of its session, packet id, topic and content. */
  _id: string;
  at: Date;
}

export const deliveryModel = defineModel<StoredDelivery>(
  'mqtt_deliveries',
  { _id: id, at: Date },
  { indexes: [{ key: { at: 1 }, name: 'expiry', expireAfterSeconds: KEPT_FOR_SEC }] },
);
