import { parseArgs } from 'node:util';
import type { Row } from './row.js';

export interface Options {
  rows: Row[];
  /** Where the results are written as JSON. */
  json?: string;
}

/** Reads the arguments. Throws an error to display when they are invalid. */
export function readOptions(args: readonly string[], rows: readonly Row[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: { only: { type: 'string', multiple: true }, json: { type: 'string' } },
  });
  const { only, json } = values;
  // `resumable-upload` also selects `resumable-upload-16`.
  const isWanted = ({ row }: Row, name: string) => row === name || row.startsWith(`${name}-`);
  const unknown = only?.filter((name) => !rows.some((row) => isWanted(row, name))) ?? [];
  if (unknown.length > 0)
    throw new Error(`unknown row ${unknown.join(', ')}; the rows are ${rows.map(({ row }) => row).join(', ')}`);
  return { rows: rows.filter((row) => only?.some((name) => isWanted(row, name)) ?? true), json };
}
