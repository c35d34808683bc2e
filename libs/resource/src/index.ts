export { groupBy } from './group-by.js';
export { createdBy, touchedBy } from './metadata.js';
export type { Author } from './metadata.js';
export type { Listing, Paging } from './paging.js';
export { matchesPrecondition } from './revision.js';
export type { Precondition, Revised } from './revision.js';
