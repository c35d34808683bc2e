import { parseArgs } from 'node:util';
import type { Operation } from './counts/operations/operation.js';
import type { Row } from './row.js';

export interface Options {
  rows: Row[];
  /** Operations to count instead of measuring rows. */
  operations?: Operation[];
  /** Whether the counts become the reference. */
  write: boolean;
}

/**
 * Parses the arguments: `--only row` for some rows, `--counts` with names of operations instead. Throws an error for
 * the user when they are invalid.
 */
export function readOptions(args: readonly string[], rows: readonly Row[], operations: readonly Operation[]): Options {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: {
      only: { type: 'string', multiple: true },
      ...{ counts: { type: 'boolean' }, write: { type: 'boolean', default: false } },
    },
    allowPositionals: true,
  });
  const { only, counts, write } = values;
  if (!counts && positionals.length > 0) throw new Error(`${positionals[0]} is an operation: use --counts`);
  return {
    rows: choose('row', rows, ({ row }) => row, only),
    ...(counts && { operations: choose('operation', operations, ({ name }) => name, positionals) }),
    write,
  };
}

/** All, or those with these names: `resumable-upload` also selects `resumable-upload-16`. */
function choose<T>(kind: string, all: readonly T[], nameOf: (one: T) => string, names: readonly string[] = []): T[] {
  const isWanted = (one: T, name: string) => nameOf(one) === name || nameOf(one).startsWith(`${name}-`);
  const unknown = names.filter((name) => !all.some((one) => isWanted(one, name)));
  if (unknown.length > 0)
    throw new Error(`unknown ${kind} ${unknown.join(', ')}; the ${kind}s are ${all.map(nameOf).join(', ')}`);
  return all.filter((one) => names.length === 0 || names.some((name) => isWanted(one, name)));
}
