export { createLifecycle } from './lifecycle.js';
export type { Lifecycle } from './lifecycle.js';
export { once } from './once.js';
export { runProcess } from './run-process.js';
