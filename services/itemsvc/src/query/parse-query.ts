import type { Paging } from '@dtplatform/contracts';
import { errors } from '../errors.js';
import { below, countNode, isObject, misplacedOperator, unknownOperator, wrongOperand } from './expression.js';
import type { Expression, Place, TextSearch } from './expression.js';
import { parseTests } from './parse-tests.js';
import { checkNames, checkPath } from './paths.js';

interface Query {
  /** Undefined matches everything. */
  where?: Expression;
  /** `_versions.all: true`: conditions apply to all versions, not only the latest. */
  allVersions: boolean;
}

/**
 * Validates a caller's query, in JSON and MongoDB's query language: known operators, at most 10 levels and 200
 * conditions.
 * @param options `isTextAllowed`: whether the query may search for text
 * @throws 400, naming an unknown operator
 */
export function parseQuery(json: unknown, { isTextAllowed = true } = {}): Query {
  const found = { nodes: 0, allVersions: false, mayHaveText: isTextAllowed };
  const where = parseExpression(json, { depth: 0, isRequired: true, isInside: false, found, parse: parseExpression });
  const isEmpty = where.kind === 'and' && where.parts.length === 0;
  return { ...(isEmpty ? {} : { where }), allVersions: found.allVersions };
}

function parseExpression(json: unknown, place: Place): Expression {
  if (!isObject(json)) throw errors.invalidQuery({ message: 'The query must be a JSON object.' });
  const parts = Object.entries(json).flatMap(([key, value]) => parseEntry(key, value, place) ?? []);
  return parts.length === 1 ? parts[0]! : { kind: 'and', parts };
}

function parseEntry(key: string, value: unknown, place: Place): Expression | undefined {
  if (key === '_versions.all') {
    parseAllVersions(value, place);
    return undefined;
  }
  countNode(place);
  if (!key.startsWith('$')) {
    const check = place.isInside ? checkNames : checkPath;
    return { kind: 'field', path: check(key, errors.invalidQuery), tests: parseTests(value, place) };
  }
  switch (key) {
    case '$and':
      return { kind: 'and', parts: parseParts(key, value, below(place, place.isRequired)) };
    case '$or':
      return { kind: 'or', parts: parseParts(key, value, below(place)) };
    case '$nor':
      return { kind: 'nor', parts: parseParts(key, value, below(place)) };
    case '$text':
      return { kind: 'text', search: parseText(value, place) };
    default:
      throw unknownOperator(key);
  }
}

function parseParts(operator: string, value: unknown, place: Place): Expression[] {
  if (!Array.isArray(value) || value.length === 0) throw wrongOperand(operator, 'an array of queries');
  return value.map((part) => parseExpression(part, place));
}

function parseAllVersions(value: unknown, { isRequired, found }: Place): void {
  if (!isRequired || typeof value !== 'boolean') {
    throw errors.invalidQuery({ message: '_versions.all must be true or false, at the top level of the query.' });
  }
  found.allVersions ||= value;
}

const TEXT_FIELDS: Record<string, string> = {
  $search: 'string',
  $language: 'string',
  $caseSensitive: 'boolean',
  $diacriticSensitive: 'boolean',
};

/** MongoDB allows one text search, in a condition that every match must meet. */
function parseText(value: unknown, { isRequired, found }: Place): TextSearch {
  if (!isRequired || !found.mayHaveText) throw misplacedOperator('$text');
  found.mayHaveText = false;
  const isValid =
    isObject(value) &&
    '$search' in value &&
    Object.entries(value).every(([key, field]) => typeof field === TEXT_FIELDS[key]);
  if (!isValid) throw wrongOperand('$text', 'an object with $search');
  return value as unknown as TextSearch;
}

const MAX_FIELDS = 200;

/** Fields of a response. `_id` is included unless it is excluded by name. */
export interface Projection {
  kind: 'only' | 'without';
  paths: string[];
  withId: boolean;
}

/** Validates a projection, which either includes or excludes fields. @throws 400 */
export function parseProjection(json: unknown): Projection | undefined {
  if (!isObject(json)) throw errors.invalidProjection();
  const fields = Object.entries(json).map(([path, value]): [string, boolean] => [
    checkPath(path, errors.invalidProjection),
    parseFlag(value),
  ]);
  if (fields.length === 0) return undefined;
  const id = fields.find(([path]) => path === '_id')?.[1];
  const others = fields.filter(([path]) => path !== '_id');
  const kind = (others[0]?.[1] ?? id) ? 'only' : 'without';
  const isMixed = others.some(([, included]) => included !== (kind === 'only'));
  const paths = others.map(([path]) => path);
  if (isMixed || paths.length > MAX_FIELDS || collide(paths)) throw errors.invalidProjection();
  return { kind, paths, withId: id ?? true };
}

function parseFlag(value: unknown): boolean {
  if (value !== 0 && value !== 1 && typeof value !== 'boolean') throw errors.invalidProjection();
  return Boolean(value);
}

/** Whether one path contains another. */
function collide(paths: string[]): boolean {
  const all = new Set(paths);
  return paths.some((path) => {
    const segments = path.split('.');
    return segments.some((_, length) => length > 0 && all.has(segments.slice(0, length).join('.')));
  });
}

const MAX_KEYS = 10;

/** Sort fields in order of precedence; 1 ascending, -1 descending. */
export type SortOrder = [path: string, direction: 1 | -1][];

/** @throws 400 */
export function parseSortOrder(json: unknown): SortOrder {
  if (!isObject(json)) throw errors.invalidSort();
  const entries = Object.entries(json);
  if (entries.length > MAX_KEYS) throw errors.invalidSort();
  return entries.map(([path, direction]) => {
    if (direction !== 1 && direction !== -1) throw errors.invalidSort();
    return [checkPath(path, errors.invalidSort), direction];
  });
}

/** Appends unique fields to a sort order, so that pages neither repeat nor skip entries. */
export function withTieBreaker(order: SortOrder, unique: readonly string[] = ['_id']): SortOrder {
  const direction = order.at(-1)?.[1] ?? 1;
  const missing = unique.filter((path) => order.every(([sorted]) => sorted !== path));
  return [...order, ...missing.map((path): SortOrder[number] => [path, direction])];
}

export interface ListQuery extends Query {
  project?: Projection;
  sort: SortOrder;
  paging: Paging;
}

/** Adds an equality condition to a query. */
export function narrowed<Q extends { where?: Expression }>(query: Q, path: string, value: string): Q {
  const condition: Expression = { kind: 'field', path, tests: [{ operator: '$eq', value }] };
  return { ...query, where: query.where ? { kind: 'and', parts: [query.where, condition] } : condition };
}
