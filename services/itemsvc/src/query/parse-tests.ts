import { RE2JS } from 're2js';
import { errors } from '../errors.js';
import { below, countNode, isObject, literal, misplacedOperator, unknownOperator, wrongOperand } from './expression.js';
import type { JsonObject, Place, Test } from './expression.js';

const MAX_LENGTH = 512;
const FLAGS = new Map([
  ['i', RE2JS.CASE_INSENSITIVE],
  ['m', RE2JS.MULTILINE],
  ['s', RE2JS.DOTALL],
]);

/**
 * Rejects patterns that can take exponential time in MongoDB's backtracking matcher: those that RE2 does not support
 * (back references, look-around) and nested repetitions such as `(a+)+`. The query's time limit bounds the rest.
 * @throws 400
 */
function checkRegularExpression(pattern: string, options: string): void {
  if (!/^[ims]{0,3}$/.test(options)) throw wrongOperand('$options', 'a combination of i, m and s');
  if (pattern.length > MAX_LENGTH || pattern.includes('\0') || repeatsRepetition(pattern)) {
    throw errors.unsafeRegularExpression();
  }
  const flags = [...new Set(options)].reduce((sum, option) => sum | (FLAGS.get(option) ?? 0), 0);
  try {
    RE2JS.compile(pattern, flags);
  } catch (error) {
    throw errors.unsafeRegularExpression({ cause: error });
  }
}

const TOKEN =
  /\\Q[\s\S]*?(?:\\E|$)|\\[\s\S]|\[\^?\]?(?:\\[\s\S]|\[:\w+:\]|[^\]\\])*\]|\((?:\?[^:)]*:?)?|\)|[*+]|\{\d+(?:,\d*)?\}|[\s\S]/g;
const REPETITION = /^(?:[*+]|\{(\d+)(?:(,)(\d*))?\})$/;
/** Counted repetitions multiply. Above this, they are treated as unbounded. */
const MAX_TIMES = 1000;

/** Whether a group with an unbounded repetition is itself repeated without bound, or nearly so. */
function repeatsRepetition(pattern: string): boolean {
  const groups = [1];
  let last = 1;
  for (const [token] of pattern.matchAll(TOKEN)) {
    const times = timesOf(token);
    if (token.startsWith('(')) {
      groups.push(1);
      last = 1;
    } else if (token === ')') {
      last = groups.length > 1 ? groups.pop()! : 1;
      raise(groups, last);
    } else if (times === undefined) {
      last = 1;
    } else {
      if (times > 1 && last > 1 && times * last > MAX_TIMES) return true;
      last *= times;
      raise(groups, last);
    }
  }
  return false;
}

/** The maximum repetition of a quantifier; undefined for other tokens. */
function timesOf(token: string): number | undefined {
  const match = REPETITION.exec(token);
  if (!match) return undefined;
  const [, atLeast, comma, atMost] = match;
  if (atLeast === undefined) return Infinity;
  if (comma === undefined) return Number(atLeast);
  return atMost ? Number(atMost) : Infinity;
}

function raise(groups: number[], times: number): void {
  groups[groups.length - 1] = Math.max(groups[groups.length - 1]!, times);
}

/** BSON types by name and number (MongoDB's `$type`). */
const NAMES = new Set(
  (
    'double string object array binData undefined objectId bool date null regex dbPointer javascript symbol ' +
    'javascriptWithScope int timestamp long decimal minKey maxKey number'
  ).split(' '),
);
const LAST_NUMBER = 19;
const isType = (value: unknown) =>
  (typeof value === 'string' && NAMES.has(value)) ||
  (Number.isInteger(value) &&
    (((value as number) >= 1 && (value as number) <= LAST_NUMBER) || value === -1 || value === 127));

/** One type, or several of which one must match. */
function parseType(operand: unknown): unknown {
  const types: unknown[] = Array.isArray(operand) ? operand : [operand];
  if (types.length === 0 || !types.every(isType)) throw wrongOperand('$type', 'the name or number of a BSON type');
  return operand;
}

const MAX_IN = 1000;
const LOGICAL = new Set(['$and', '$or', '$nor']);

/** Parses the condition on one field: operators, or a value for equality. */
export function parseTests(value: unknown, place: Place): Test[] {
  if (!isObject(value) || !hasOperators(value)) return [{ operator: '$eq', value: literal(value) }];
  return Object.entries(value).flatMap(([operator, operand]) => {
    if (operator === '$options' && '$regex' in value) return [];
    countNode(place);
    return [parseTest(operator, operand, value, place)];
  });
}

const hasOperators = (value: JsonObject) => Object.keys(value)[0]?.startsWith('$') ?? false;

type Parser = (operand: unknown, place: Place, siblings: JsonObject) => Test;

const PARSERS = new Map<string, Parser>([
  ...(['$eq', '$ne', '$gt', '$gte', '$lt', '$lte'] as const).map((operator): [string, Parser] => [
    operator,
    (operand) => ({ operator, value: literal(operand) }),
  ]),
  ...(['$in', '$nin'] as const).map((operator): [string, Parser] => [
    operator,
    (operand) => ({ operator, value: parseList(operator, operand).map((entry) => literal(entry)) }),
  ]),
  ['$exists', (operand) => ({ operator: '$exists', value: parseFlag(operand) })],
  ['$type', (operand) => ({ operator: '$type', value: parseType(operand) })],
  ['$size', (operand) => ({ operator: '$size', value: parseSize(operand) })],
  ['$mod', (operand) => ({ operator: '$mod', value: parseMod(operand) })],
  ['$all', (operand, place) => ({ operator: '$all', entries: parseAll(operand, place) })],
  ['$not', (operand, place) => ({ operator: '$not', tests: parseNot(operand, below(place)) })],
  ['$elemMatch', (operand, place) => parseElemMatch(operand, below(place))],
  ['$regex', (operand, _place, siblings) => parseRegex(operand, siblings.$options ?? '')],
]);

function parseTest(operator: string, operand: unknown, siblings: JsonObject, place: Place): Test {
  const parser = PARSERS.get(operator);
  if (parser) return parser(operand, place, siblings);
  if (!operator.startsWith('$')) throw errors.invalidQuery({ message: 'Operators and fields cannot be mixed.' });
  throw LOGICAL.has(operator) || operator === '$options' || operator === '$text'
    ? misplacedOperator(operator)
    : unknownOperator(operator);
}

function parseList(operator: string, operand: unknown): unknown[] {
  if (!Array.isArray(operand) || operand.length > MAX_IN) {
    throw wrongOperand(operator, `an array of at most ${MAX_IN} entries`);
  }
  return operand;
}

function parseFlag(operand: unknown): boolean {
  if (typeof operand !== 'boolean' && operand !== 0 && operand !== 1) throw wrongOperand('$exists', 'true or false');
  return Boolean(operand);
}

const MAX_INT = 2 ** 31 - 1;

function parseSize(operand: unknown): number {
  if (!isWhole(operand) || operand < 0) throw wrongOperand('$size', 'a whole number of 0 or more');
  return operand;
}

function parseMod(operand: unknown): number[] {
  if (!Array.isArray(operand) || operand.length !== 2 || !operand.every(isWhole) || operand[0] === 0) {
    throw wrongOperand('$mod', 'a divisor and a remainder');
  }
  return operand;
}

const isWhole = (value: unknown): value is number => Number.isInteger(value) && Math.abs(value as number) <= MAX_INT;

/** Entries are all values or all `$elemMatch`. Each counts as a condition, because MongoDB tests each. */
function parseAll(operand: unknown, place: Place): Test[] {
  const entries = parseList('$all', operand).map((entry): Test => {
    countNode(place);
    if (!isObject(entry) || !('$elemMatch' in entry)) return { operator: '$eq', value: literal(entry) };
    if (Object.keys(entry).length > 1) throw wrongOperand('$all', 'values, or $elemMatch alone');
    return parseElemMatch(entry.$elemMatch, below(place));
  });
  if (new Set(entries.map(({ operator }) => operator)).size > 1) {
    throw wrongOperand('$all', 'values, or $elemMatch alone');
  }
  return entries;
}

function parseNot(operand: unknown, place: Place): Test[] {
  if (!isObject(operand) || !hasOperators(operand)) throw wrongOperand('$not', 'an object with operators');
  return parseTests(operand, place);
}

/** Operators for elements that are values, or a query for elements that are objects. */
function parseElemMatch(operand: unknown, place: Place): Test {
  if (!isObject(operand)) throw wrongOperand('$elemMatch', 'an object');
  const [first] = Object.keys(operand);
  const isForValues = first?.startsWith('$') && !LOGICAL.has(first);
  return isForValues
    ? { operator: '$elemMatch', tests: parseTests(operand, place) }
    : { operator: '$elemMatch', query: place.parse(operand, { ...place, isInside: true }) };
}

function parseRegex(pattern: unknown, options: unknown): Test {
  if (typeof pattern !== 'string' || typeof options !== 'string') throw wrongOperand('$regex', 'a string');
  checkRegularExpression(pattern, options);
  return { operator: '$regex', pattern, options };
}
