import { errors } from '../../errors.js';
import type { Expression, TextSearch } from './expression.js';
import { isObject, misplacedOperator, unknownOperator, wrongOperand } from './json.js';
import { parseTests } from './parse-tests.js';
import { checkNames, checkPath } from './paths.js';
import { below, countNode } from './place.js';
import type { Place } from './place.js';

/** A caller's query, checked. */
export interface Query {
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
