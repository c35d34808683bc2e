import { JsonRejected, parseJson } from '@dtplatform/contracts';
import { badRow, MAX_ROW_BYTES, TOO_LARGE } from './rows.js';
import type { Row } from './rows.js';

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];
const SPACE = new Set([0x20, 0x09, 0x0a, 0x0d]);
/** First bytes of JSON values other than objects. */
const OTHER_VALUES = new Set(Buffer.from('"-0123456789[tfn'));

/** The rows of a JSON array of objects, or of JSON lines. @throws 400 that names the row */
export async function* readJson(content: AsyncIterable<Buffer>): AsyncGenerator<Row> {
  const rows = new RowSplitter();
  for await (const chunk of content) for (const row of rows.split(chunk)) yield row;
  rows.end();
}

/** Finds the objects in the bytes of a file. parseJson validates them. */
class RowSplitter {
  #row = 1;
  /** What may follow between two rows. */
  #place: 'start' | 'first' | 'next' | 'separator' | 'end' | 'lines' = 'start';
  /** The start of a row in earlier chunks. */
  #parts: Buffer[] = [];
  #bytes = 0;
  #depth = 0;
  #isText = false;
  #isEscaped = false;
  #fields = 0;

  *split(chunk: Buffer): Generator<Row> {
    let start = 0;
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at]!;
      if (this.#depth === 0) {
        if (!this.#between(byte)) continue;
        start = at;
      }
      this.#within(byte);
      if (this.#depth > 0) continue;
      yield this.#take(chunk.subarray(start, at + 1));
    }
    if (this.#depth > 0) this.#keep(chunk.subarray(start));
  }

  end(): void {
    if (this.#depth > 0 || ['first', 'next', 'separator'].includes(this.#place))
      throw this.#rejected('is not valid JSON');
  }

  /** Whether a row starts with this byte. */
  #between(byte: number): boolean {
    const place = this.#place;
    if (SPACE.has(byte)) return false;
    if (place === 'start') this.#place = byte === OPEN_ARRAY ? 'first' : 'lines';
    if (place === 'start' && byte === OPEN_ARRAY) return false;
    if (place === 'separator' && byte === COMMA) this.#place = 'next';
    else if ((place === 'separator' || place === 'first') && byte === CLOSE_ARRAY) this.#place = 'end';
    else if (place === 'separator' || place === 'end') throw this.#rejected('is not valid JSON');
    else if (byte === OPEN_OBJECT) return true;
    else throw this.#rejected(OTHER_VALUES.has(byte) ? 'is not an object' : 'is not valid JSON');
    return false;
  }

  #within(byte: number): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (this.#isText && byte === BACKSLASH) this.#isEscaped = true;
    else if (byte === QUOTE) this.#isText = !this.#isText;
    else if (this.#isText) return;
    else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) this.#depth++;
    else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) this.#depth--;
    else if (byte === COLON) this.#fields++;
  }

  #keep(part: Buffer): void {
    this.#parts.push(part);
    if ((this.#bytes += part.length) > MAX_ROW_BYTES) throw this.#rejected(TOO_LARGE);
  }

  #take(last: Buffer): Row {
    this.#keep(last);
    const row = this.#parse(this.#parts.length === 1 ? last : Buffer.concat(this.#parts));
    [this.#parts, this.#bytes, this.#fields] = [[], 0, 0];
    this.#row++;
    if (this.#place !== 'lines') this.#place = 'separator';
    return row;
  }

  #parse(bytes: Buffer): Row {
    try {
      const row = parseJson(bytes) as Row;
      if (fieldsIn(row) < this.#fields) throw new JsonRejected('has two fields with the same name in an object');
      return row;
    } catch (error) {
      if (!(error instanceof JsonRejected)) throw error;
      // Line and column refer to the row, not to the file.
      throw this.#rejected(error.message.replace(/ \(line \d+, column \d+\)$/, ''), error);
    }
  }

  #rejected = (problem: string, cause?: unknown) => badRow(this.#row, problem, cause);
}

/** The number of fields in all nested objects. */
function fieldsIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const entries = Object.values(value);
  const own = Array.isArray(value) ? 0 : entries.length;
  return entries.reduce<number>((sum, entry) => sum + fieldsIn(entry), own);
}
