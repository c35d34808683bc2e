export { createLifecycle } from './lifecycle.js';
export type { Lifecycle } from './lifecycle.js';
export { runProcess } from './run-process.js';
