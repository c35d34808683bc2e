import Table from 'cli-table3';

/** Where results go. Messages and progress go to stderr. */
export interface Output {
  isJson: boolean;
}

/** Other users choose names: control characters must not reach the terminal. */
export const printable = (text: string): string =>
  text.replace(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, '�');

export function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
}

export type Column<Row> = [title: string, read: (row: Row) => unknown];

/** Prints rows as a table, or as JSON with all fields. */
export function printRows<Row>({ isJson }: Output, rows: Row[], columns: Column<Row>[]): void {
  if (isJson) return printJson(rows);
  if (rows.length === 0) return void process.stderr.write('Nothing found.\n');
  const table = new Table({
    head: columns.map(([title]) => title),
    chars: PLAIN,
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 2 },
  });
  for (const row of rows) table.push(columns.map(([, read]) => printable(textOf(read(row)))));
  const lines = table.toString().split('\n');
  process.stdout.write(`${lines.map((line) => line.trimEnd()).join('\n')}\n`);
}

export function printFields({ isJson }: Output, fields: Record<string, unknown>): void {
  if (isJson) return printJson(fields);
  const width = Math.max(...Object.keys(fields).map((name) => name.length));
  for (const [name, value] of Object.entries(fields))
    if (value !== undefined) process.stdout.write(`${name.padEnd(width)}  ${printable(textOf(value))}\n`);
}

export const note = (text: string): void => void process.stderr.write(`${text}\n`);

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
  ms === undefined ? '' : new Date(Number(ms)).toISOString().slice(0, 16).replace('T', ' ');
