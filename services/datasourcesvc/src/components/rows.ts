import { errors } from '../errors.js';

export type Row = Record<string, unknown>;

const MIB = 1024 * 1024;
export const MAX_ROW_BYTES = MIB;
export const TOO_LARGE = `is larger than ${MAX_ROW_BYTES / MIB} MiB`;

/** @param row from 1 */
export const badRow = (row: number, problem: string, cause?: unknown) =>
  errors.badRow({ message: `Row ${row} of the file ${problem}.`, cause });

/** One transaction of itemsvc, whose response, with the rows, is stored for repeated requests. */
const MAX_ROWS = 500;
const MAX_CHARS = 1024 * 1024;

export interface Batch {
  /** From 0. */
  index: number;
  /** From 1. */
  firstRow: number;
  rows: Row[];
}

/** Groups rows deterministically: the same rows always form the same batches. */
export async function* inBatches(rows: AsyncIterable<Row>): AsyncGenerator<Batch> {
  let batch: Batch = { index: 0, firstRow: 1, rows: [] };
  let chars = 0;
  for await (const row of rows) {
    const length = JSON.stringify(row).length;
    if (batch.rows.length === MAX_ROWS || (batch.rows.length > 0 && chars + length > MAX_CHARS)) {
      yield batch;
      batch = { index: batch.index + 1, firstRow: batch.firstRow + batch.rows.length, rows: [] };
      chars = 0;
    }
    batch.rows.push(row);
    chars += length;
  }
  if (batch.rows.length > 0) yield batch;
}
