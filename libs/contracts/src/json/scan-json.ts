import { isKeptExactly } from './is-kept-exactly.js';
import { JsonRefused } from './json-refused.js';

/** As text, a value takes two bytes; parsed, sixty. */
const MAX_VALUES = 1_000_000;
/** Less than the 100 levels that MongoDB stores, because documents wrap what callers send. */
export const MAX_DEPTH = 64;

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/** What the bytes after the first digit say about a number; 0 for a byte that is not part of one. */
const [DIGIT, FRACTION, EXPONENT] = [1, 2, 4];
const KINDS = new Uint8Array(256).fill(DIGIT, 0x30, 0x3a);
KINDS[0x2e] = FRACTION;
for (const char of 'eE+-') KINDS[char.charCodeAt(0)] = EXPONENT;

/** A double holds all integers of up to 15 digits, and all numbers of up to 308 digits that have no exponent approximately. */
const [MAX_SAFE_DIGITS, MAX_FINITE_DIGITS] = [15, 308];

/**
 * Reads the bytes of a JSON text without parsing it.
 * @returns whether it has a number that would not be kept (isKeptExactly)
 * @throws JsonRefused if it would take much more memory than its text: of very many values, or nested too deeply
 */
export function scanJson(bytes: Uint8Array): boolean {
  let values = 0;
  let depth = 0;
  let hasInexact = false;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!;
    if (byte === QUOTE) at = endOfString(bytes, at);
    else if (byte === COMMA) values++;
    else if (KINDS[byte] === DIGIT) {
      const start = at;
      let kinds = 0;
      while (at < bytes.length && KINDS[bytes[at]!] !== 0) kinds |= KINDS[bytes[at++]!]!;
      if (mayBeInexact(kinds, at - start)) hasInexact ||= !isKeptExactly(textOf(bytes, start, at));
      at--;
    } else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) {
      values++;
      depth++;
    } else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) depth--;
    if (values > MAX_VALUES) throw new JsonRefused(`has more than ${MAX_VALUES} values`);
    if (depth > MAX_DEPTH + 1) throw new JsonRefused(`is nested more than ${MAX_DEPTH} levels deep`);
  }
  return hasInexact;
}

function mayBeInexact(kinds: number, length: number): boolean {
  if (kinds & EXPONENT) return true;
  return length > (kinds === DIGIT ? MAX_SAFE_DIGITS : MAX_FINITE_DIGITS);
}

const textOf = (bytes: Uint8Array, start: number, end: number) =>
  Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('latin1');

/** The place of the quote that ends a string, or of the last byte. */
function endOfString(bytes: Uint8Array, start: number): number {
  let end = start;
  do {
    end = bytes.indexOf(QUOTE, end + 1);
    if (end === -1) return bytes.length;
  } while (isEscaped(bytes, end));
  return end;
}

function isEscaped(bytes: Uint8Array, at: number): boolean {
  let backslashes = 0;
  while (bytes[at - 1 - backslashes] === BACKSLASH) backslashes++;
  return backslashes % 2 === 1;
}
