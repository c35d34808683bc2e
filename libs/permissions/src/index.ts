export { subjectOf } from './access.js';
export type { Access, Resource, Scope } from './access.js';
export { matches } from './criteria.js';
export type { Details } from './criteria.js';
export { allowedIds, allows, compileGrants } from './decision.js';
export type { Grants } from './decision.js';
export { createStateReader, ensureEpoch } from './access-state.js';
export { createGrantCache } from './grant-cache.js';
export type { GrantCache, GrantCacheOptions } from './grant-cache.js';
export type { GrantSource } from './grant-source.js';
export { homeOf, isSamePlace, requireDeletion, requireMove } from './home.js';
export type { Placed } from './home.js';
export { permit, permitCreate } from './needs.js';
export type { Declaration, Needs, Resources } from './needs.js';
export {
  createOwnPermissions,
  entryErrors,
  Permission,
  PermissionFailure,
  PermissionPage,
  revocationErrors,
  WrittenPermissions,
} from './own-permissions.js';
export { requireOwnTask } from './own-task.js';
export type { FoundTask } from './own-task.js';
export { permissionNeeded } from './permission-needed.js';
export { createPermissions } from './permissions.js';
export type { OpenAccess } from './permissions.js';
export { remoteGrants } from './remote-grants.js';
export { acceptNewTokens, raiseEpochs, refuseTokens } from './revocation.js';
