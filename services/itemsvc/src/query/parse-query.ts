import type { Paging } from '@dtplatform/contracts';
import { errors } from '../errors.js';
import { below, countNode, isObject, misplacedOperator, unknownOperator, wrongOperand } from './expression.js';
import type { Expression, Place, TextSearch } from './expression.js';
import { parseTests } from './parse-tests.js';
import { checkNames, checkPath } from './paths.js';

/** A caller's query, checked. */
interface Query {
  /** Undefined: everything. */
  where?: Expression;
  /** The query has `_versions.all: true`: it speaks of all versions, not of the latest alone. */
  allVersions: boolean;
}

/**
 * Checks a query of a caller (MongoDB's query language, in JSON): allowed operators, at most 10 levels deep and 200
 * conditions.
 * @param options `isTextAllowed`: the query may search for text
 * @throws 400; an operator that is not allowed is named
 */
export function parseQuery(json: unknown, { isTextAllowed = true } = {}): Query {
  const found = { nodes: 0, allVersions: false, mayHaveText: isTextAllowed };
  const where = parseExpression(json, { depth: 0, isRequired: true, isInside: false, found, parse: parseExpression });
  const isEmpty = where.kind === 'and' && where.parts.length === 0;
  return { ...(isEmpty ? {} : { where }), allVersions: found.allVersions };
}

function parseExpression(json: unknown, place: Place): Expression {
  if (!isObject(json)) throw errors.invalidQuery({ message: 'A query is a JSON object.' });
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
    throw errors.invalidQuery({ message: '_versions.all is true or false, beside the conditions.' });
  }
  found.allVersions ||= value;
}

const TEXT_FIELDS: Record<string, string> = {
  $search: 'string',
  $language: 'string',
  $caseSensitive: 'boolean',
  $diacriticSensitive: 'boolean',
};

/** The database takes one text search, and only where every match must fit it. */
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

/** The fields that a response includes. `_id` is included unless it is left out by name. */
export interface Projection {
  kind: 'only' | 'without';
  paths: string[];
  withId: boolean;
}

/** Checks a projection: either fields to include or fields to leave out. @throws 400 */
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

/** Whether one path lies within another. */
function collide(paths: string[]): boolean {
  const all = new Set(paths);
  return paths.some((path) => {
    const segments = path.split('.');
    return segments.some((_, length) => length > 0 && all.has(segments.slice(0, length).join('.')));
  });
}

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

/** A list call for items, versions or related items (docs/contract.md, "Shared query parameters"). */
export interface ListQuery extends Query {
  project?: Projection;
  sort: SortOrder;
  paging: Paging;
}

/** The same query, for those alone that have a value in a field. */
export function narrowed<Q extends { where?: Expression }>(query: Q, path: string, value: string): Q {
  const condition: Expression = { kind: 'field', path, tests: [{ operator: '$eq', value }] };
  return { ...query, where: query.where ? { kind: 'and', parts: [query.where, condition] } : condition };
}
