export { createObjectStore } from './object-store.js';
export type { ObjectStore, ObjectStoreOptions } from './object-store.js';
export type { ObjectHead, ObjectInfo, StoredObject } from './objects.js';
export type { Listed, Listing, ListOptions } from './listings.js';
export { attachment } from './presign.js';
export { isObjectMissing, s3Errors } from './errors.js';
export { openObjectStore } from './open-object-store.js';
export type { S3Settings } from './open-object-store.js';
export { partBytesFor } from './part-sizes.js';
