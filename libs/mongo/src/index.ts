export { coalesce, shareCommits, SHARED_WRITE } from './coalesce.js';
export { connectMongo } from './connect.js';
export type { Mongo } from './connect.js';
export { BSON, MongoServerError } from './driver.js';
export type { ChangeStream, ClientSession, Timestamp } from './driver.js';
export { documentErrors, duplicateKeyOf, isDuplicateKey, isTimeLimitExceeded, mongoErrors } from './errors.js';
export {
  absent,
  after,
  before,
  exists,
  noneOf,
  not,
  notAfter,
  NOTHING,
  oneOf,
  scopeFilter,
  trusted,
} from './filters.js';
export type { Filter } from './filters.js';
export { createIdempotencyStore } from './idempotency-store.js';
export { deleteIfMatch, revisionIn, updateIfMatch } from './if-match.js';
export { keyLoader } from './key-loader.js';
export { createLease } from './lease.js';
export { idAfter, listPage, totalOf } from './list-page.js';
export { defineSchema, ensureIndexes, migrateDatabase, requireSchema } from './migrations.js';
export type { MigrateOptions, Migration, Schema } from './migrations.js';
export { modelOf } from './model-of.js';
export { defineModel, flag, id, ifPresent, json, newId, number, optionalArray, part, text } from './model.js';
export type { AnyModel, Model, ModelDefinition, PipelineStage } from './model.js';
export { onePage, queryLimits } from './one-page.js';
export { lockNames, lockParent, lockParents, parentLockModel, touchParents } from './parent-lock.js';
export { createPendingGrants, grantMarkModel, markGrants, sweepGrants } from './pending-grants.js';
export type { PendingGrants } from './pending-grants.js';
