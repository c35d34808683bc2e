import { parse } from 'scim2-parse-filter';
import type { Compare, Filter, LogExp } from 'scim2-parse-filter';
import { isKeptExactly, isoToMs, problemOfText } from '@dtplatform/contracts';
import { errors } from '../../../errors.js';
import { lastOf, resolveAttribute, resolveWithin } from '../attributes.js';
import type { AttributePath } from '../attributes.js';
import { comparablePart, comparableText } from '../comparable.js';
import type { Attribute } from '../schema-types.js';
import type { Comparable, ScimFilter } from './filter.js';

const QUOTED = /"(?:[^"\\]|\\.)*"/g;
/** JSON strings must not contain control characters, and line breaks in them make the parser take exponential time. */
const CONTROL = /[\u0000-\u001f\u007f]/;

interface WithoutLiterals {
  /** The filter with numbers in place of its string literals. */
  text: string;
  literals: string[];
}

/**
 * Extracts string literals from a filter, because the parser does not read their escapes as JSON does. Tolerates
 * clients that send a backslash before each quote. @throws SyntaxError
 */
function takeLiterals(filter: string): WithoutLiterals {
  if (CONTROL.test(filter)) throw new SyntaxError('a control character');
  const isEscaped = filter[filter.indexOf('"') - 1] === '\\';
  const literals: string[] = [];
  const text = (isEscaped ? filter.replaceAll('\\"', '"') : filter).replace(QUOTED, (quoted) => {
    const literal = JSON.parse(quoted) as string;
    const problem = problemOfText(literal);
    if (problem) throw new SyntaxError(`a text that ${problem}`);
    literals.push(literal);
    return `"${literals.length - 1}"`;
  });
  if (text.match(/\b\d[\d.eE+-]*/g)?.some((number) => !isKeptExactly(number))) {
    throw new SyntaxError('a number that cannot be represented exactly');
  }
  return { text, literals };
}

const MAX_LENGTH = 4096;
const MAX_DEPTH = 10;
const MAX_NODES = 200;

const TEXT_ONLY = ['co', 'sw', 'ew'];
const ORDER = ['gt', 'ge', 'lt', 'le'];

/**
 * Parses a filter for users or, with `within`, of a value path on that attribute.
 * @throws invalidFilter
 */
export function parseFilter(text: string, within?: Attribute): ScimFilter {
  if (text.length > MAX_LENGTH) throw invalid(`must have at most ${MAX_LENGTH} characters`);
  const { tree, literals } = read(text);
  let nodes = 0;
  const resolve = (filter: Filter, around: Attribute | undefined, depth: number): ScimFilter => {
    if (++nodes > MAX_NODES || depth > MAX_DEPTH) throw invalid('has too many conditions');
    if (isLogical(filter))
      return { op: filter.op, filters: filter.filters.map((one) => resolve(one, around, depth + 1)) };
    if (filter.op === 'not') return { op: 'not', filter: resolve(filter.filter, around, depth + 1) };
    const path = pathOf(filter.attrPath, around);
    if (filter.op === '[]') {
      if (!lastOf(path).multiValued || !lastOf(path).subAttributes)
        throw invalid('uses a value path on a single-valued attribute');
      return { op: 'any', path, filter: resolve(filter.valFilter, lastOf(path), depth + 1) };
    }
    return filter.op === 'pr' ? { op: 'pr', path } : compare(filter, path, literals);
  };
  return resolve(tree, within, 1);
}

const isLogical = (filter: Filter): filter is LogExp => filter.op === 'and' || filter.op === 'or';

const invalid = (what: string, cause?: unknown) => errors.invalidFilter({ message: `The filter ${what}.`, cause });

function read(text: string): { tree: Filter; literals: string[] } {
  try {
    const { text: withoutLiterals, literals } = takeLiterals(text);
    return { tree: parse(withoutLiterals), literals };
  } catch (error) {
    throw invalid('does not follow the grammar of RFC 7644, section 3.4.2.2', error);
  }
}

function pathOf(named: string, around: Attribute | undefined): AttributePath {
  const path = around ? resolveWithin(around, named) : resolveAttribute(named);
  if (!path || lastOf(path).returned === 'never') throw invalid('names an unknown attribute');
  return path;
}

function compare({ op, compValue }: Compare, named: AttributePath, literals: string[]): ScimFilter {
  const value = typeof compValue === 'string' ? literals[Number(compValue)]! : compValue;
  if (value === null) return compareNull(op, named);
  const path = withValue(named);
  return { op, path, value: comparableOf(lastOf(path), op, value) };
}

/** A null attribute has no value (RFC 7643, section 2.5). */
function compareNull(op: string, path: AttributePath): ScimFilter {
  if (op === 'ne') return { op: 'pr', path };
  if (op === 'eq') return { op: 'not', filter: { op: 'pr', path } };
  throw invalid('orders null');
}

/** A multi-valued attribute is compared by its `value`. */
function withValue(path: AttributePath): AttributePath {
  const last = lastOf(path);
  if (!last.subAttributes) return path;
  const value = last.multiValued ? last.subAttributes.find(({ name }) => name === 'value') : undefined;
  if (!value) throw invalid('compares an attribute that has only sub-attributes');
  return [...path, value] as unknown as AttributePath;
}

function comparableOf(attribute: Attribute, op: string, value: string | number | boolean): Comparable {
  if (attribute.type === 'boolean') return booleanOf(op, value);
  if (typeof value !== 'string') throw invalid(`compares ${attribute.name} with a value that is not text`);
  if (attribute.type === 'dateTime') return dateOf(op, value);
  if (attribute.type === 'binary' && ORDER.includes(op)) throw invalid(`orders ${attribute.name}, which is binary`);
  return TEXT_ONLY.includes(op) ? comparablePart(attribute, value) : comparableText(attribute, value);
}

function booleanOf(op: string, value: unknown): boolean {
  if (op !== 'eq' && op !== 'ne') throw invalid('compares a boolean with an operator other than eq and ne');
  const text = String(value).toLowerCase();
  if (text !== 'true' && text !== 'false') throw invalid('compares a boolean with a value that is not a boolean');
  return text === 'true';
}

const DATE = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})?$/i;

function dateOf(op: string, value: string): number {
  if (TEXT_ONLY.includes(op)) throw invalid('searches for text in a date');
  const ms = DATE.test(value) ? isoToMs(value.toUpperCase()) : NaN;
  if (Number.isNaN(ms)) throw invalid('compares a date with a value that is not an ISO 8601 date and time');
  return ms;
}
