import { errors } from '../errors.js';

export type Row = Record<string, unknown>;

const MIB = 1024 * 1024;
export const MAX_ROW_BYTES = MIB;
export const TOO_LARGE = `is larger than ${MAX_ROW_BYTES / MIB} MiB`;

/** @param row from 1 */
export const badRow = (row: number, problem: string, cause?: unknown) =>
  errors.badRow({ message: `Row ${row} of the file ${problem}.`, cause });
