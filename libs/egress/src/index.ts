export { createEgress } from './egress.js';
export type { Egress, EgressAnswer, EgressOptions, EgressRequest } from './egress.js';
export { EgressFailed, EgressRejected } from './errors.js';
export type { Lookup } from './resolve.js';
export { egressSettings } from './settings.js';
