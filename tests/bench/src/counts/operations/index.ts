import { fileOperations } from './files.js';
import { itemOperations } from './items.js';
import type { Operation } from './operation.js';
import { peopleOperations } from './people.js';
import { runOperations } from './runs.js';

/** All counted operations, by name. */
export const OPERATIONS: readonly Operation[] = [
  ...itemOperations,
  ...fileOperations,
  ...runOperations,
  ...peopleOperations,
];
