export type { TokenSource } from './cached-token.js';
export { clientCredentials } from './client-credentials.js';
export { ServiceCallError } from './service-call-error.js';
export { createServiceClient } from './service-client.js';
export type { ServiceCall, ServiceClient } from './service-client.js';
export { exchangeErrors, tokenExchange } from './token-exchange.js';
export type { TokenSubject } from './token-exchange.js';
