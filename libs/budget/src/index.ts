export { createByteBudget } from './byte-budget.js';
export type { ByteBudget, Share } from './byte-budget.js';
export { createPlaces } from './places.js';
export type { Places } from './places.js';
