export { bearerToken } from './bearer.js';
export { remoteKeys } from './remote-keys.js';
export type { RemoteKeys } from './remote-keys.js';
export { createVerifier } from './verifier.js';
export type { TokenVerifier } from './verifier.js';
export type { Principal, PrincipalKind } from './principal.js';
