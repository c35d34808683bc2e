export { createByteBudget } from './byte-budget.js';
export type { ByteBudget, Share } from './byte-budget.js';
export { createSemaphore } from './semaphore.js';
export type { Semaphore } from './semaphore.js';
