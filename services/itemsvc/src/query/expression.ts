import { errors } from '../errors.js';

/** A caller's query, checked: only what is in these types can reach the database. */
export type Expression =
  | { kind: 'and' | 'or' | 'nor'; parts: Expression[] }
  | { kind: 'field'; path: string; tests: Test[] }
  | { kind: 'text'; search: TextSearch };

/** What one operator asks of a field. */
export type Test =
  | { operator: ValueOperator; value: unknown }
  | { operator: '$regex'; pattern: string; options: string }
  | { operator: '$not'; tests: Test[] }
  | { operator: '$all'; entries: Test[] }
  | { operator: '$elemMatch'; tests: Test[] }
  | { operator: '$elemMatch'; query: Expression };

/** Operators whose value goes to the database as it is. */
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

const MAX_DEPTH = 10;
const MAX_NODES = 200;

/** Where in a query the parser is. */
export interface Place {
  depth: number;
  /** Whatever matches the query must match here: at the top, or below `$and` alone. */
  isRequired: boolean;
  /** The paths are those of fields inside another one (`$elemMatch`). */
  isInside: boolean;
  /** What was found so far. */
  found: { nodes: number; allVersions: boolean; mayHaveText: boolean };
  /** Parses a query inside this one (`$elemMatch`). */
  parse: (json: unknown, place: Place) => Expression;
}

/** @throws 400 when the query has too many conditions */
export function countNode({ found }: Place): void {
  found.nodes += 1;
  if (found.nodes > MAX_NODES)
    throw errors.queryTooComplex({ message: `The query has more than ${MAX_NODES} conditions.` });
}

/** One level further down. @throws 400 when that is too deep */
export function below(place: Place, isRequired = false): Place {
  if (place.depth >= MAX_DEPTH)
    throw errors.queryTooComplex({ message: `The query is nested more than ${MAX_DEPTH} levels deep.` });
  return { ...place, depth: place.depth + 1, isRequired };
}
