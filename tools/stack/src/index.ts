export { startBackends } from './backends/start-backends.js';
export type { Backends, BackendName, S3Connection, StartBackendsOptions } from './backends/types.js';
export { lineReport, silentReport, type Report } from './report.js';
