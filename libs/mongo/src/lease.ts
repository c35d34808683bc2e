import { createNamedLease } from '@dtplatform/lease';
import type { NamedLease, NamedLeaseDocument } from '@dtplatform/lease';
import type { Mongo } from './connect.js';
import { defineModel, id, number } from './model.js';

/** Leases by name, for work that one process does at a time. */
export const leaseModel = defineModel<NamedLeaseDocument>('leases', { _id: id, fence: number, until: Date });

/** A lease that the processes of one service share, by its name. */
export const createLease = (mongo: Mongo, name: string, options?: { ttlMs?: number }): NamedLease =>
  createNamedLease(mongo.model(leaseModel), name, options);
