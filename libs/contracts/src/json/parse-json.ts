import { isAscii } from 'node:buffer';
import { JsonRejected, MAX_DEPTH, NotJson, problemOfText, rejectUnstorable } from './json-rejected.js';
import { isKeptExactly, JsonWalk } from './json-walk.js';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Escapes of NUL, of letters in keys that rejectUnstorable rejects, and of surrogates. */
const ESCAPE = /\\u(?:00(?:00|[5-7])|[dD][89a-fA-F])/;
/** Whether the value needs a full check. Searching for a string is much faster than for a pattern. */
const mayBeUnstorable = (text: string) =>
  text.includes('_bsontype') || text.includes('__proto__') || (text.includes('\\u') && ESCAPE.test(text));

/**
 * Parses JSON strictly, as UTF-8. Rejects what MongoDB cannot store or would change (rejectUnstorable), integers that a
 * double cannot hold, numbers that overflow, and texts with too many values.
 * @throws JsonRejected with the field, or line and column
 */
export function parseJson(source: Buffer | string): unknown {
  const hasInexact = scanJson(typeof source === 'string' ? Buffer.from(source) : source);
  const text = typeof source === 'string' ? wellFormed(source) : decode(source);
  const value = parse(text);
  if (hasInexact) throw inexactNumber(text);
  if (mayBeUnstorable(text)) rejectUnstorable(value);
  return value;
}

function wellFormed(text: string): string {
  const problem = problemOfText(text);
  if (problem) throw new JsonRejected(problem);
  return text;
}

function decode(bytes: Buffer): string {
  // Most texts are ASCII and need no decoding.
  if (isAscii(bytes)) return bytes.toString('latin1');
  try {
    return utf8.decode(bytes);
  } catch {
    throw new JsonRejected(`is not valid UTF-8 (${placeIn(bytes.toString('utf8', 0, endOfValid(bytes)))})`);
  }
}

/** The length of the longest prefix that is valid UTF-8. */
function endOfValid(bytes: Buffer): number {
  const replaced = Buffer.from(bytes.toString());
  let end = 0;
  while (bytes[end] === replaced[end]) end++;
  return end;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new NotJson(`is not valid JSON (${placeIn(text, new JsonWalk(text).end)})`);
  }
}

const inexactNumber = (text: string) =>
  new JsonRejected('has a number that cannot be represented exactly; send it as text', new JsonWalk(text).inexact);

/** Line and column of an offset. Counts without copying, because the text may be long. */
function placeIn(text: string, end = text.length): string {
  let [line, start] = [1, 0];
  for (let next = text.indexOf('\n'); next >= 0 && next < end; next = text.indexOf('\n', start)) {
    line += 1;
    start = next + 1;
  }
  let column = 1;
  for (let at = start; at < end; at += text.codePointAt(at)! > 0xffff ? 2 : 1) column += 1;
  return `line ${line}, column ${column}`;
}

/** A value takes at least two bytes as text and about sixty once parsed. */
const MAX_VALUES = 1_000_000;

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/** What the bytes after the first digit mean in a number; 0 for a byte that ends it. */
const [DIGIT, FRACTION, EXPONENT] = [1, 2, 4];
const KINDS = new Uint8Array(256).fill(DIGIT, 0x30, 0x3a);
KINDS[0x2e] = FRACTION;
for (const char of 'eE+-') KINDS[char.charCodeAt(0)] = EXPONENT;

/**
 * A double holds every integer of up to 15 digits exactly, and every number of up to 308 digits without an exponent
 * approximately.
 */
const [MAX_SAFE_DIGITS, MAX_FINITE_DIGITS] = [15, 308];

/**
 * Scans the bytes of JSON text without parsing it.
 * @returns whether it contains a number that would change (isKeptExactly)
 * @throws JsonRejected if parsing would take far more memory than the text: too many values, or nested too deeply
 */
function scanJson(bytes: Uint8Array): boolean {
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
    if (values > MAX_VALUES) throw new JsonRejected(`has more than ${MAX_VALUES} values`);
    if (depth > MAX_DEPTH + 1) throw new JsonRejected(`is nested more than ${MAX_DEPTH} levels deep`);
  }
  return hasInexact;
}

function mayBeInexact(kinds: number, length: number): boolean {
  if (kinds & EXPONENT) return true;
  return length > (kinds === DIGIT ? MAX_SAFE_DIGITS : MAX_FINITE_DIGITS);
}

const textOf = (bytes: Uint8Array, start: number, end: number) =>
  Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('latin1');

/** The offset of the quote that ends a string, or of the last byte. */
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
