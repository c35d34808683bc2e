export { createByteBudget } from './byte-budget.js';
export type { ByteBudget, Share } from './byte-budget.js';
