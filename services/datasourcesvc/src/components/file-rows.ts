import { errors } from '../errors.js';
import { readCsv } from './csv-rows.js';
import { readJson } from './json-rows.js';
import type { Row } from './rows.js';

export interface RowFormat {
  format: 'json' | 'jsonl' | 'csv';
  /** Separates CSV columns. */
  separator?: string;
}

/**
 * Reads the rows of a UTF-8 file: objects of a JSON array, JSON lines, or CSV records after a header. Keeps one row and
 * the parser's buffers in memory.
 * @throws 400 that names the row (from 1) that is malformed, too large, not an object or cannot be stored
 */
export function readRows(content: AsyncIterable<Buffer>, { format, separator }: RowFormat): AsyncGenerator<Row> {
  const unmarked = withoutMark(content);
  return format === 'csv' ? readCsv(unmarked, separator) : readJson(unmarked);
}

const UTF8_MARK = Buffer.from('\uFEFF');
const UTF16_MARKS = [Buffer.from([0xfe, 0xff]), Buffer.from([0xff, 0xfe])];

/** Strips the byte order mark. @throws 400 for that of UTF-16 */
async function* withoutMark(content: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let head: Buffer | undefined = Buffer.alloc(0);
  for await (const chunk of content) {
    if (head) head = Buffer.concat([head, chunk]);
    if (head && head.length < UTF8_MARK.length) continue;
    yield head ? afterMark(head) : chunk;
    head = undefined;
  }
  if (head) yield afterMark(head);
}

function afterMark(head: Buffer): Buffer {
  const startsWith = (mark: Buffer) => head.subarray(0, mark.length).equals(mark);
  if (UTF16_MARKS.some(startsWith)) throw errors.fileIsUtf16();
  return startsWith(UTF8_MARK) ? head.subarray(UTF8_MARK.length) : head;
}
