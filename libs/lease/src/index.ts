export { keepLease, LeaseLost } from './keep-lease.js';
export type { KeptLease } from './keep-lease.js';
export { createLeases } from './leases.js';
export type { HeldWrite, Leases, LeaseState } from './leases.js';
export { createNamedLease } from './named-lease.js';
export type { NamedLease, NamedLeaseDocument } from './named-lease.js';
export { startExclusiveSweep, startSweep } from './sweep.js';
