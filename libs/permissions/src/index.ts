export {
  acceptNewTokens,
  createEpochs,
  raiseEpochs,
  rejectTokens,
  restoreMarks,
  setMark,
  tokenMark,
} from './access-state.js';
export type { TokenMark } from './access-state.js';
export { createPermissions, subjectOf } from './access.js';
export type { Access, OpenAccess, Resource, Scope } from './access.js';
export { allowedIds, allows, compileGrants, matches } from './decision.js';
export type { Details, Grants } from './decision.js';
export { createGrantCache } from './grant-cache.js';
export type { GrantCache, GrantCacheOptions } from './grant-cache.js';
export { remoteGrants } from './grant-source.js';
export type { GrantSource } from './grant-source.js';
export { homeOf, isSamePlace, requireDeletion, requireMove } from './home.js';
export type { Placed } from './home.js';
export { permit, permitCreate, requireOwnTask } from './needs.js';
export type { Declaration, FoundTask, Needs, Resources } from './needs.js';
export {
  createOwnPermissions,
  entryErrors,
  Permission,
  PermissionFailure,
  PermissionPage,
  revocationErrors,
  WrittenPermissions,
} from './own-permissions.js';
export { permissionNeeded } from './permission-needed.js';
