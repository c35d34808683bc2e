export { isObjectMissing, s3Errors } from './errors.js';
export { createObjectStore, openObjectStore, s3AccessOf } from './object-store.js';
export type { ObjectStore, ObjectStoreOptions } from './object-store.js';
export { partBytesFor } from './part-buffers.js';
export { attachment } from './presign.js';
