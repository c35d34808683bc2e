import { Readable } from 'node:stream';
import { CsvError, parse as parseCsv } from 'csv-parse';
import { gen, none } from 'stream-chain';
import { parser } from 'stream-json/parser.js';
import { streamArray } from 'stream-json/streamers/stream-array.js';
import { streamValues } from 'stream-json/streamers/stream-values.js';
import { errors } from '../errors.js';

export type RowFormat = 'json' | 'csv';
export type Row = Record<string, unknown>;

const MIB = 1024 * 1024;
const MAX_ROW_BYTES = MIB;

/**
 * Reads the rows of a file: the objects of a JSON array, objects one after the other (JSON lines), or the records of a CSV
 * file whose first record names the fields. Holds one row and the buffers of the parser in memory.
 * @throws 400 that names the row (from 1) that is malformed, too large or no object
 */
export const readRows = (content: AsyncIterable<Buffer>, format: RowFormat): AsyncGenerator<Row> =>
  format === 'csv' ? readCsv(content) : readJson(content);

const badRow = (row: number, problem: string, cause?: unknown) =>
  errors.badRow({ message: `Row ${row} of the file ${problem}.`, cause });
const TOO_LARGE = `is larger than ${MAX_ROW_BYTES / MIB} MiB`;

const AFTER_OBJECT = /(?<=\})/;

async function* readJson(content: AsyncIterable<Buffer>): AsyncGenerator<Row> {
  let row = 0;
  let bytesOfRow = 0;
  let valuesIn: JsonParser | undefined;
  const decoder = new TextDecoder();

  async function* rowsIn(text: string | typeof none) {
    try {
      for await (const { value } of valuesIn!(text)) {
        row += 1;
        bytesOfRow = 0;
        yield requireObject(value, row);
      }
    } catch (error) {
      throw isJsonError(error) ? badRow(row + 1, 'is not JSON', error) : error;
    }
  }

  for await (const chunk of content) {
    if ((bytesOfRow += chunk.length) > MAX_ROW_BYTES) throw badRow(row + 1, TOO_LARGE);
    const text = decoder.decode(chunk, { stream: true });
    valuesIn ??= parserFor(text);
    // The parser gives nothing of a text that is malformed at its end.
    if (valuesIn) for (const piece of text.split(AFTER_OBJECT)) yield* rowsIn(piece);
  }
  if (valuesIn) yield* rowsIn(none);
}

type JsonParser = (text: string | typeof none) => AsyncGenerator<{ value: unknown }>;

/** By the first character that is no white space; undefined while there is none. */
function parserFor(text: string): JsonParser | undefined {
  const first = text.trimStart().charAt(0);
  if (first === '') return undefined;
  const options = { packKeys: true, packValues: true, streamValues: false, jsonStreaming: first !== '[' };
  const values = first === '[' ? streamArray() : streamValues();
  return gen(parser(options), values) as JsonParser;
}

function requireObject(value: unknown, row: number): Row {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw badRow(row, 'is not an object');
  return value as Row;
}

/** Of the parser, which has no class for its errors. */
const isJsonError = (error: unknown) => error instanceof Error && error.message.startsWith('Parser ');

const CSV_PROBLEMS: Partial<Record<string, string>> = {
  CSV_MAX_RECORD_SIZE: TOO_LARGE,
  CSV_RECORD_INCONSISTENT_COLUMNS: 'has not as many fields as the header',
};

async function* readCsv(content: AsyncIterable<Buffer>): AsyncGenerator<Row> {
  const parser = parseCsv({ columns: true, bom: true, skip_empty_lines: true, max_record_size: MAX_ROW_BYTES });
  const source = Readable.from(content);
  source.once('error', (error) => parser.destroy(error)).pipe(parser);
  try {
    for await (const record of parser) yield record as Row;
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const { code, records = 0 } = error as CsvError & { records?: number };
    throw badRow(records + 1, CSV_PROBLEMS[code] ?? 'is not CSV', error);
  } finally {
    source.destroy();
  }
}
