import { defineModel, id, number, text } from '@dtplatform/mongo';
import type { DeadLetter, Message } from './message.js';
import type { CannotIngest } from './normalize.js';

/** Retention of dead letters. */
const KEPT_FOR_DAYS = 14;

export const messageModel = defineModel<Message & { namespaces: string[] }>(
  'telemetry_messages',
  {
    _id: id,
    configId: id,
    groupId: id,
    content: text,
    bytes: number,
    createdAt: number,
    /** The namespaces of the configuration, to enforce the limit per namespace. */
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

/**
 * Brokers redeliver a message if the connection drops before its acknowledgement, possibly after an outage of hours.
 */
const KEPT_FOR_SEC = 24 * 3600;

/** A stored message, remembered to detect redeliveries. */
export interface StoredDelivery {
  /** Hash of session, packet id, topic and content. */
  _id: string;
  at: Date;
}

export const deliveryModel = defineModel<StoredDelivery>(
  'mqtt_deliveries',
  { _id: id, at: Date },
  { indexes: [{ key: { at: 1 }, name: 'expiry', expireAfterSeconds: KEPT_FOR_SEC }] },
);
