import { wrongOperand } from './json.js';

/** BSON types by name and number (MongoDB: $type). */
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

/** The operand of `$type`: one type, or several of which one must fit. */
export function parseType(operand: unknown): unknown {
  const types: unknown[] = Array.isArray(operand) ? operand : [operand];
  if (types.length === 0 || !types.every(isType)) throw wrongOperand('$type', 'the name or number of a BSON type');
  return operand;
}
