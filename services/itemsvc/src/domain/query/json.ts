import { errors } from '../../errors.js';

export type JsonObject = Record<string, unknown>;

const MAX_LITERAL_DEPTH = 10;

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * A value that a field is compared with.
 * @throws 400 when an object in it has keys that look like operators: `{a: {b: {$gt: 1}}}` compares with that very object
 */
export function literal(value: unknown, depth = 0): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= MAX_LITERAL_DEPTH) {
    throw errors.queryTooComplex({
      message: `A value of the query is nested more than ${MAX_LITERAL_DEPTH} levels deep.`,
    });
  }
  for (const [key, nested] of Object.entries(value)) {
    if (key.startsWith('$')) throw misplacedOperator(key);
    if (key === '__proto__' || key.includes('\0')) throw errors.invalidQuery();
    literal(nested, depth + 1);
  }
  return value;
}

/** @throws 400 that names the operator, the one part of the input that comes back */
export const unknownOperator = (key: string) => errors.unknownOperator({ message: `${nameOf(key)} is not allowed.` });

export const misplacedOperator = (key: string) =>
  errors.unknownOperator({ message: `${nameOf(key)} is not allowed in this place.` });

/** @throws 400 that says what an operator needs */
export const wrongOperand = (operator: string, needs: string) =>
  errors.invalidQuery({ message: `${operator} needs ${needs}.` });

const nameOf = (key: string) => (/^\$\w{1,32}$/.test(key) ? key : 'An operator');
