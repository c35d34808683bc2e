import { errors } from '../errors.js';

/** A validated query. Only these types reach MongoDB. */
export type Expression =
  | { kind: 'and' | 'or' | 'nor'; parts: Expression[] }
  | { kind: 'field'; path: string; tests: Test[] }
  | { kind: 'text'; search: TextSearch };

/** An operator applied to a field. */
export type Test =
  | { operator: ValueOperator; value: unknown }
  | { operator: '$regex'; pattern: string; options: string }
  | { operator: '$not'; tests: Test[] }
  | { operator: '$all'; entries: Test[] }
  | { operator: '$elemMatch'; tests: Test[] }
  | { operator: '$elemMatch'; query: Expression };

/** Operators whose value is passed to MongoDB unchanged. */
type ValueOperator =
  '$eq' | '$ne' | '$gt' | '$gte' | '$lt' | '$lte' | '$in' | '$nin' | '$exists' | '$type' | '$size' | '$mod';

export interface TextSearch {
  $search: string;
  $language?: string;
  $caseSensitive?: boolean;
  $diacriticSensitive?: boolean;
}

export type JsonObject = Record<string, unknown>;

const MAX_LITERAL_DEPTH = 10;

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * A value to compare a field with.
 * @throws 400 for keys inside it that look like operators, such as `{a: {b: {$gt: 1}}}`, which would compare with that
 * object
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

/** @throws 400 naming the operator, the only part of the input that is echoed */
export const unknownOperator = (key: string) => errors.unknownOperator({ message: `${nameOf(key)} is not allowed.` });

export const misplacedOperator = (key: string) =>
  errors.unknownOperator({ message: `${nameOf(key)} is not allowed here.` });

/** @throws 400 with the operand that the operator expects */
export const wrongOperand = (operator: string, needs: string) =>
  errors.invalidQuery({ message: `${operator} requires ${needs}.` });

const nameOf = (key: string) => (/^\$\w{1,32}$/.test(key) ? key : 'An operator');

const MAX_DEPTH = 10;
const MAX_NODES = 200;

/** The parser's position in a query. */
export interface Place {
  depth: number;
  /** Every match must meet the condition: it is at the top, or below `$and` only. */
  isRequired: boolean;
  /** Paths are relative to another field (`$elemMatch`). */
  isInside: boolean;
  /** Accumulated over the whole query. */
  found: { nodes: number; allVersions: boolean; mayHaveText: boolean };
  /** Parses a nested query (`$elemMatch`). */
  parse: (json: unknown, place: Place) => Expression;
}

/** @throws 400 for too many conditions */
export function countNode({ found }: Place): void {
  found.nodes += 1;
  if (found.nodes > MAX_NODES)
    throw errors.queryTooComplex({ message: `The query has more than ${MAX_NODES} conditions.` });
}

/** The position one level deeper. @throws 400 if that is too deep */
export function below(place: Place, isRequired = false): Place {
  if (place.depth >= MAX_DEPTH)
    throw errors.queryTooComplex({ message: `The query is nested more than ${MAX_DEPTH} levels deep.` });
  return { ...place, depth: place.depth + 1, isRequired };
}
