import { errors } from '../../errors.js';
import { isObject } from './json.js';
import { checkPath } from './paths.js';

const MAX_KEYS = 10;

/** Fields by which a list is sorted, the first counts most; 1 ascending, -1 descending. */
export type SortOrder = [path: string, direction: 1 | -1][];

/** Validates a sort order. @throws 400 */
export function parseSortOrder(json: unknown): SortOrder {
  if (!isObject(json)) throw errors.invalidSort();
  const entries = Object.entries(json);
  if (entries.length > MAX_KEYS) throw errors.invalidSort();
  return entries.map(([path, direction]) => {
    if (direction !== 1 && direction !== -1) throw errors.invalidSort();
    return [checkPath(path, errors.invalidSort), direction];
  });
}

/** The order with what is unique, as a rule the id, as its last word, so that pages neither repeat nor miss an entry. */
export function withTieBreaker(order: SortOrder, unique: readonly string[] = ['_id']): SortOrder {
  const direction = order.at(-1)?.[1] ?? 1;
  const missing = unique.filter((path) => order.every(([sorted]) => sorted !== path));
  return [...order, ...missing.map((path): SortOrder[number] => [path, direction])];
}
