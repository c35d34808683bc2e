import { defineModel, id } from '@dtplatform/mongo';

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
