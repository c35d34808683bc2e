export { createFoundation } from './foundation.js';
export type { Foundation, Ports, ProcessContext } from './foundation.js';
export { migrate, migrationSettings } from './migrate.js';
export { serve } from './serve.js';
export { createServiceApp } from './service-app.js';
export type { ServiceApi } from './service-app.js';
export { serviceSettings } from './service-config.js';
export type { ServiceConfig } from './service-config.js';
