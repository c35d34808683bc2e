import { isAscii } from 'node:buffer';
import { JsonRefused, NotJson } from './json-refused.js';
import { JsonWalk } from './json-walk.js';
import { problemOfText, refuseUnstorable } from './refuse-unstorable.js';
import { scanJson } from './scan-json.js';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Escapes of NUL, of letters of keys that refuseUnstorable refuses, and of surrogates. */
const ESCAPE = /\\u(?:00(?:00|[5-7])|[dD][89a-fA-F])/;
/** Whether the value of a text needs a closer look. Searching for a text is much faster than for a pattern. */
const mayBeUnstorable = (text: string) =>
  text.includes('_bsontype') || text.includes('__proto__') || (text.includes('\\u') && ESCAPE.test(text));

/**
 * Reads JSON strictly, in UTF-8. What could not be stored, or would come back changed, is refused (refuseUnstorable), as are
 * integers that a double does not hold, numbers that overflow, and texts of too many values.
 * @throws JsonRefused, which names the place: a field, or line and column
 */
export function parseJson(source: Buffer | string): unknown {
  const hasInexact = scanJson(typeof source === 'string' ? Buffer.from(source) : source);
  const text = typeof source === 'string' ? wellFormed(source) : decode(source);
  const value = parse(text);
  if (hasInexact) throw inexactNumber(text);
  if (mayBeUnstorable(text)) refuseUnstorable(value);
  return value;
}

function wellFormed(text: string): string {
  const problem = problemOfText(text);
  if (problem) throw new JsonRefused(problem);
  return text;
}

function decode(bytes: Buffer): string {
  // Most texts are ASCII, which needs no decoding.
  if (isAscii(bytes)) return bytes.toString('latin1');
  try {
    return utf8.decode(bytes);
  } catch {
    throw new JsonRefused(`is not valid UTF-8 (${placeIn(bytes.toString('utf8', 0, endOfValid(bytes)))})`);
  }
}

/** How many bytes at the start decode to what encodes to them again. */
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
  new JsonRefused('has a number that cannot be kept exactly; send it as text', new JsonWalk(text).inexact);

/** The line and the column of a place in a text. Counted without a copy: the text may be long. */
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
