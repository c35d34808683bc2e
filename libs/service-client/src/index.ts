export { clientCredentials } from './client-credentials.js';
export { ServiceCallError } from './service-call-error.js';
export { createServiceClient } from './service-client.js';
export type { ServiceCall, ServiceClient } from './service-client.js';
