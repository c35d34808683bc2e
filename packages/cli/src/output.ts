import { search } from '@jmespath-community/jmespath';
import Table from 'cli-table3';
import { stringify } from 'yaml';
import { UsageError } from './usage-error.js';

export const FORMATS = ['table', 'json', 'yaml', 'csv'] as const;
type Format = (typeof FORMATS)[number];

/** How results are printed. They go to stdout, messages and progress to stderr. */
export interface Output {
  format: Format;
  /** A JMESPath expression that selects what to print. */
  query?: string;
}

export type Column<Row> = [title: string, read: (row: Row) => unknown];
type Cells = Record<string, unknown>;

/** Other users choose names: control characters must not reach the terminal. */
export const printable = (text: string): string =>
  text.replace(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, '�');

export const note = (text: string): void => void process.stderr.write(`${text}\n`);

/** Prints rows with these columns, or with all fields in formats for programs. */
export function printRows<Row>(output: Output, rows: Row[], columns: Column<Row>[]): void {
  if (printsFields(output)) return printValue(output, rows);
  printTable(
    output,
    columns.map(([title]) => title),
    rows.map((row) => columns.map(([, read]) => read(row))),
  );
}

/** Prints a resource with these fields, or with all of its fields in formats for programs. */
export function printFields(output: Output, resource: object, shown: Cells = resource as Cells): void {
  if (printsFields(output)) return printValue(output, resource);
  const fields = Object.entries(shown).filter(([, value]) => value !== undefined);
  if (output.format === 'csv')
    return printTable(
      output,
      fields.map(([name]) => name),
      [fields.map(([, value]) => value)],
    );
  const width = Math.max(...fields.map(([name]) => name.length));
  for (const [name, value] of fields)
    process.stdout.write(`${printable(name).padEnd(width)}  ${printable(textOf(value))}\n`);
}

/** Columns are for people; a query needs all fields. */
const printsFields = ({ format, query }: Output) => query !== undefined || format === 'json' || format === 'yaml';

/** Prints JSON of any form. */
export function printValue(output: Output, value: unknown): void {
  const { format, query } = output;
  const found = query === undefined ? value : select(value, query);
  if (format === 'json') return void process.stdout.write(`${JSON.stringify(found ?? null, null, 2)}\n`);
  if (format === 'yaml') return void process.stdout.write(stringify(found ?? null));
  const rows = Array.isArray(found) ? (found as unknown[]) : undefined;
  if (rows === undefined && isObject(found)) return printFields({ format }, found);
  if (!rows?.some(isObject)) return printTexts(rows ?? [found]);
  const titles = [...new Set(rows.filter(isObject).flatMap(Object.keys))];
  const cells = rows.map((row) => titles.map((title) => (isObject(row) ? row[title] : undefined)));
  printTable(output, titles, cells);
}

function select(value: unknown, query: string): unknown {
  try {
    return search(value as Parameters<typeof search>[0], query);
  } catch (error) {
    throw new UsageError(`--query must be a JMESPath expression: ${(error as Error).message}`);
  }
}

const isObject = (value: unknown): value is Cells =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function printTexts(values: unknown[]): void {
  for (const value of values) process.stdout.write(`${printable(textOf(value))}\n`);
}

function printTable({ format }: Output, titles: string[], rows: unknown[][]): void {
  if (format === 'csv') return printCsv([titles, ...rows]);
  if (rows.length === 0) return note('Nothing found.');
  const table = new Table({
    head: titles.map(printable),
    chars: PLAIN,
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 2 },
  });
  for (const row of rows) table.push(row.map((value) => printable(textOf(value))));
  const lines = table.toString().split('\n');
  process.stdout.write(`${lines.map((line) => line.trimEnd()).join('\n')}\n`);
}

/** RFC 4180. */
function printCsv(rows: unknown[][]): void {
  const quoted = (text: string) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const shown = (text: string) => quoted(process.stdout.isTTY ? printable(text) : text);
  for (const row of rows) process.stdout.write(`${row.map((value) => shown(textOf(value))).join(',')}\r\n`);
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string'
    ? value
    : Array.isArray(value)
      ? value.map(textOf).join(', ')
      : JSON.stringify(value);
}

/** No borders, so that tables are easy to parse. */
const PLAIN = Object.fromEntries(
  ['top', 'bottom', 'left', 'right', 'mid', 'middle']
    .flatMap((side) => [side, `${side}-mid`, `${side}-left`, `${side}-right`])
    .concat('left-mid', 'mid-mid', 'right-mid')
    .map((name) => [name, '']),
);

/** Formats a number of bytes. */
export function bytesText(bytes: number | undefined): string {
  if (bytes === undefined) return '';
  const unit = Math.min(UNITS.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10));
  return `${unit === 0 ? bytes : (bytes / 1024 ** unit).toFixed(1)} ${UNITS[unit]!}`;
}

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];

/** Formats milliseconds since 1970, which are strings in some resources. */
export const timeText = (ms: number | string | undefined): string =>
  ms === undefined ? '' : new Date(Number(ms)).toISOString().replace(/T(.....).*/, ' $1Z');
