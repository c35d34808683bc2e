export { createServiceClient, ServiceCallError } from './service-client.js';
export type { ServiceCall, ServiceClient } from './service-client.js';
export { clientCredentials, exchangeErrors, tokenExchange } from './tokens.js';
export type { TokenSource, TokenSubject } from './tokens.js';
