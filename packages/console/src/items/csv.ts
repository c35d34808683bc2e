import Papa from 'papaparse';
import type { LocalFile, ParseLocalConfig } from 'papaparse';

export const KINDS = ['skip', 'text', 'number', 'comma', 'flag', 'date'] as const;
/** `comma`: a number with a decimal comma. */
export type Kind = (typeof KINDS)[number];

/** What becomes of a column. */
export interface Mapping {
  header: string;
  field: string;
  kind: Kind;
}

export interface Sheet {
  text: string;
  delimiter: string;
  mappings: Mapping[];
  /** The first rows below the headers. */
  sample: string[][];
}

const SAMPLE_ROWS = 100;
/** A column has the type that fits most of its cells; in a short one, all must fit. */
const MOST = 0.9;
const FEW = 20;
/** How much is read before the page can do something else. */
const CHUNK_LENGTH = 256 * 1024;
/** Names that the platform keeps for itself. */
const RESERVED = ['_id', '_metadata', '_platform', '__proto__'];

/** Reads the headers of a file, and suggests fields and types for its columns. */
export async function openSheet(file: File): Promise<Sheet> {
  const text = decode(await file.arrayBuffer());
  const { data, meta } = Papa.parse<string[]>(text, { preview: SAMPLE_ROWS + 1, skipEmptyLines: 'greedy' });
  const [headers = [], ...sample] = data;
  const used = new Set<string>();
  const mappings = headers.map((header, index): Mapping => {
    const values = sample.map((row) => (row[index] ?? '').trim()).filter((value) => value !== '');
    const kind = RESERVED.includes(header.trim()) ? 'skip' : kindOf(values);
    return { header, field: fieldOf(header, index, used), kind };
  });
  return { text, delimiter: meta.delimiter, mappings, sample };
}

/** Files from spreadsheets are in UTF-8, or in the encoding of Windows. */
function decode(bytes: ArrayBuffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

/** A name that queries can use: without dots and a leading $, and different from the others. */
function fieldOf(header: string, index: number, used: Set<string>): string {
  const name = header.replaceAll('.', '').replace(/^\$+/, '').trim() || `column ${index + 1}`;
  const field = used.has(name) ? `${name} ${index + 1}` : name;
  used.add(field);
  return field;
}

function kindOf(values: string[]): Kind {
  if (values.length === 0) return 'text';
  // Codes such as 0042 would lose their zeros.
  const isCode = values.some((value) => /^0\d/.test(value));
  const guesses: Kind[] = isCode ? ['flag', 'date'] : ['number', 'comma', 'flag', 'date'];
  const fits = (kind: Kind) => values.filter((value) => convert(value, kind) !== undefined).length;
  const best = guesses.toSorted((one, other) => fits(other) - fits(one))[0]!;
  return fits(best) >= (values.length < FEW ? values.length : MOST * values.length) ? best : 'text';
}

const FLAGS: Record<string, boolean> = {
  ...{ true: true, yes: true, ja: true, wahr: true },
  ...{ false: false, no: false, nein: false, falsch: false },
};

const NUMBER = /^[+-]?(\d+|\d{1,3}(,\d{3})+)(\.\d+)?(e[+-]?\d+)?$/i;
const swapped = (cell: string) => cell.replace(/[.,]/g, (mark) => (mark === '.' ? ',' : '.'));

/** The value of a cell; undefined if it has another type. */
function convert(cell: string, kind: Kind): unknown {
  if (kind === 'text') return cell;
  if (kind === 'flag') return FLAGS[cell.toLowerCase()];
  if (kind === 'date') return dateOf(cell);
  const number = kind === 'comma' ? swapped(cell) : cell;
  return NUMBER.test(number) ? Number(number.replaceAll(',', '')) : undefined;
}

/** Dates as in ISO 8601 sort correctly as text. */
function dateOf(cell: string): string | undefined {
  const [, day, month, year, rest = ''] = /^(\d{1,2})\.(\d{1,2})\.(\d{4})(.*)$/.exec(cell) ?? [];
  const iso = day ? `${year}-${month!.padStart(2, '0')}-${day.padStart(2, '0')}${rest}` : cell;
  if (!/^\d{4}-\d{2}-\d{2}([ T]\d{2}:\d{2}.*)?$/.test(iso)) return undefined;
  const time = new Date(iso);
  if (Number.isNaN(time.getTime())) return undefined;
  return iso.length === 10 ? iso : time.toISOString();
}

export interface Converted {
  item: Record<string, unknown>;
  /** The first cell that does not fit its type. */
  problem?: { header: string; cell: string };
}

/** The item of a row. Empty cells are left out. */
export function itemOf(row: string[], mappings: Mapping[]): Converted {
  let problem: Converted['problem'];
  const entries = mappings.flatMap(({ header, field, kind }, index) => {
    const cell = (row[index] ?? '').trim();
    if (kind === 'skip' || cell === '') return [];
    const value = convert(cell, kind);
    if (value === undefined) problem ??= { header, cell };
    return [[field, value]];
  });
  return { item: Object.fromEntries(entries) as Record<string, unknown>, problem };
}

/** Reads the rows below the headers in parts, and waits until each part is dealt with. @param share of the file */
export function readRows(
  { text, delimiter }: Sheet,
  onRows: (rows: string[][], share: number) => Promise<void>,
): Promise<void> {
  let isFirst = true;
  return new Promise((resolve, reject) => {
    const config: ParseLocalConfig<string[], LocalFile> = {
      delimiter,
      chunkSize: CHUNK_LENGTH,
      chunk: ({ data, meta }, parser) => {
        const rows = isFirst ? data.slice(1) : data;
        isFirst = false;
        parser.pause();
        onRows(rows, meta.cursor / text.length).then(
          () => parser.resume(),
          (error: unknown) => {
            reject(error instanceof Error ? error : new Error(String(error)));
            // This calls `complete`, too.
            parser.abort();
          },
        );
      },
      complete: () => resolve(),
    };
    // The types know parts of files only.
    Papa.parse<string[]>(text, config as object);
  });
}
