import { errors } from '../../errors.js';
import type { Test } from './expression.js';
import { isObject, literal, misplacedOperator, unknownOperator, wrongOperand } from './json.js';
import type { JsonObject } from './json.js';
import { parseType } from './parse-type.js';
import { below, countNode } from './place.js';
import type { Place } from './place.js';
import { checkRegularExpression } from './regular-expression.js';

const MAX_IN = 1000;
const LOGICAL = new Set(['$and', '$or', '$nor']);

/** What a query asks of one field: operators, or a value that it must equal. */
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
  if (!operator.startsWith('$')) throw errors.invalidQuery({ message: 'Operators and fields stand side by side.' });
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

/** All are values, or all are `$elemMatch`. The database tests each of them, so each counts as a condition. */
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
