export { bearerToken } from './bearer.js';
export { createVerifier } from './verifier.js';
export type { TokenVerifier } from './verifier.js';
export type { Principal, PrincipalKind } from './principal.js';
