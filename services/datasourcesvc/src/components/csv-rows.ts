import { Readable } from 'node:stream';
import { CsvError, parse as parseCsv } from 'csv-parse';
import { problemOfText } from '@dtplatform/contracts';
import { errors } from '../errors.js';
import { badRow, MAX_ROW_BYTES, TOO_LARGE } from './rows.js';
import type { Row } from './rows.js';

export const SEPARATORS = [',', ';', '\t', '|'] as const;
/** One character per byte: cells are decoded one by one, so that an error can name their row. */
const BYTES = 'latin1';
const FORBIDDEN_NAMES = ['__proto__', '_bsontype'];
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * The records of a CSV file whose first record contains the field names; all values are strings.
 * @param separator of columns; detected in the header by default
 * @throws 400 that names the row or the problem of the header
 */
export async function* readCsv(content: AsyncIterable<Buffer>, separator?: string): AsyncGenerator<Row> {
  const { head, all } = await readHead(content);
  const source = Readable.from(all);
  const parser = parseCsv({
    delimiter: separator ?? separatorOf(head),
    encoding: BYTES,
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: MAX_ROW_BYTES,
  });
  source.once('error', (error) => parser.destroy(error)).pipe(parser);
  let names: string[] | undefined;
  let row = 0;
  try {
    for await (const cells of parser as AsyncIterable<string[]>) {
      if (names) yield rowOf(names, cells, ++row);
      else names = namesOf(cells);
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const problem = error.code === 'CSV_MAX_RECORD_SIZE' ? TOO_LARGE : 'is not CSV';
    // `records` includes the header.
    const { records = 0 } = error as CsvError & { records?: number };
    throw records > 0 ? badRow(records, problem, error) : badHeader(problem, error);
  } finally {
    source.destroy();
  }
}

/** The first record, with the rest of its chunk, and the whole content. */
async function readHead(content: AsyncIterable<Buffer>) {
  const chunks = content[Symbol.asyncIterator]();
  let head = Buffer.alloc(0);
  let next = await chunks.next();
  while (!next.done && head.length < MAX_ROW_BYTES) {
    head = Buffer.concat([head, next.value]);
    if (/[^\r\n][\r\n]/.test(head.toString(BYTES))) break;
    next = await chunks.next();
  }
  async function* all(): AsyncGenerator<Buffer> {
    try {
      yield head;
      while (!(next = await chunks.next()).done) yield next.value;
    } finally {
      await chunks.return?.();
    }
  }
  return { head: head.toString(BYTES), all: all() };
}

/** The most frequent separator outside quotes in the first record. @throws 400 for a tie */
function separatorOf(head: string): string {
  const record = /^[\r\n]*((?:"[^"]*"|[^"\r\n]+)*)/.exec(head)![1]!.replaceAll(/"[^"]*"/g, '');
  const countOf = (separator: string) => record.split(separator).length - 1;
  const most = Math.max(...SEPARATORS.map(countOf));
  const [best, other] = SEPARATORS.filter((separator) => countOf(separator) === most);
  if (most > 0 && other) throw badHeader('has several separators; specify the right one as separator');
  return best!;
}

function namesOf(cells: string[]): string[] {
  const names = cells.map((cell, index) => decoded(cell) ?? rejectColumn(index, 'is not valid UTF-8'));
  const known = new Set<string>();
  for (const [index, name] of names.entries()) {
    const compared = name.trim().normalize();
    if (compared === '') rejectColumn(index, 'has no name');
    if (known.has(compared)) rejectColumn(index, 'has the name of another column');
    if (FORBIDDEN_NAMES.includes(compared)) rejectColumn(index, 'has a reserved name');
    const problem = problemOfText(name);
    if (problem) rejectColumn(index, problem);
    known.add(compared);
  }
  return names;
}

function rejectColumn(index: number, problem: string): never {
  throw badHeader(`is not usable: column ${index + 1} ${problem}`);
}

const badHeader = (problem: string, cause?: unknown) =>
  errors.badRow({ message: `The header of the file ${problem}.`, cause });

function rowOf(names: string[], cells: string[], row: number): Row {
  if (cells.length !== names.length) throw badRow(row, 'does not have as many fields as the header');
  const values = cells.map((cell, index) => {
    const text = decoded(cell);
    const problem = text === undefined ? 'is not valid UTF-8' : problemOfText(text);
    if (problem) throw badRow(row, `cannot be imported: column ${index + 1} ${problem}`);
    return text;
  });
  return Object.fromEntries(names.map((name, index) => [name, values[index]]));
}

function decoded(cell: string): string | undefined {
  try {
    return utf8.decode(Buffer.from(cell, BYTES));
  } catch {
    return undefined;
  }
}
