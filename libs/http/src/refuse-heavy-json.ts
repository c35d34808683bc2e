import { commonErrors } from '@dtplatform/errors';

/** As text, a value takes two bytes; parsed, sixty. */
const MAX_VALUES = 1_000_000;
const MAX_DEPTH = 64;

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Refuses JSON that would take much more memory than its text: of very many values, or nested too deeply. Reads the bytes
 * only, without parsing them.
 * @throws 400
 */
export function refuseHeavyJson(bytes: Buffer): void {
  let values = 0;
  let depth = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!;
    if (byte === QUOTE) at = endOfString(bytes, at);
    else if (byte === COMMA) values++;
    else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) {
      values++;
      depth++;
    } else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) depth--;
    if (values > MAX_VALUES || depth > MAX_DEPTH + 1) {
      throw commonErrors.badRequest({ message: 'The body has too many values or is nested too deeply.' });
    }
  }
}

/** The place of the quote that ends a string, or of the last byte. */
function endOfString(bytes: Buffer, start: number): number {
  let end = start;
  do {
    end = bytes.indexOf(QUOTE, end + 1);
    if (end === -1) return bytes.length;
  } while (isEscaped(bytes, end));
  return end;
}

function isEscaped(bytes: Buffer, at: number): boolean {
  let backslashes = 0;
  while (bytes[at - 1 - backslashes] === BACKSLASH) backslashes++;
  return backslashes % 2 === 1;
}
