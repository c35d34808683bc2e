export type { Principal, PrincipalKind } from './principal.js';
export { bearerToken, createVerifier, remoteKeys } from './verifier.js';
export type { RemoteKeys, TokenVerifier } from './verifier.js';
