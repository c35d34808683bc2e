export type { DuplicateKey } from './errors.js';
export { connectMongo } from './connect.js';
export type { Mongo, MongoOptions } from './connect.js';
export { duplicateKeyOf, isDuplicateKey, isTimeLimitExceeded, mongoErrors } from './errors.js';
export { findPage } from './find-page.js';
export type { PageQuery } from './find-page.js';
export { newId } from './ids.js';
export { ensureIndexes } from './indexes.js';
export type { IndexPlan } from './indexes.js';
