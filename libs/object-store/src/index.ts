export { createObjectStore } from './object-store.js';
export type { ObjectStore, ObjectStoreOptions } from './object-store.js';
export { attachment } from './presign.js';
export { isObjectMissing, s3Errors } from './errors.js';
export { openObjectStore } from './open-object-store.js';
export { partBytesFor } from './part-sizes.js';
