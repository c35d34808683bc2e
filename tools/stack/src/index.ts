export { startBackends } from './backends/start-backends.js';
export type { Backends, BackendName, S3Connection, StartBackendsOptions } from './backends/types.js';
export { lineReport, silentReport, type Report } from './report.js';
export { startStack, type Stack, type StartStackOptions } from './start-stack.js';
export { SERVICES, type ServiceEntry } from './services/catalogue.js';
export type { ServiceProcess } from './services/node-process.js';
export type { DevJson } from './state/dev-settings.js';
