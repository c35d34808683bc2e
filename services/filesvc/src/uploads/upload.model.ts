import { createLeases } from '@dtplatform/lease';
import { ifPresent, modelOf } from '@dtplatform/mongo';
import type { Mongo } from '@dtplatform/mongo';
import { Upload } from './upload.js';

export const uploadModel = modelOf('uploads', Upload, {
  indexes: [
    { key: { 'lease.until': 1, touchedAt: 1 }, name: 'lease_end', ...ifPresent('lease.until') },
    { key: { touchedAt: 1 }, name: 'abandoned' },
    { key: { isCompleting: 1, touchedAt: 1 }, name: 'completing', partialFilterExpression: { isCompleting: true } },
  ],
});

/** Writers send a heartbeat every two seconds. */
const LEASE_MS = 6_000;

export const uploadLeases = (mongo: Mongo) => createLeases(mongo.model(uploadModel), { ttlMs: LEASE_MS });
