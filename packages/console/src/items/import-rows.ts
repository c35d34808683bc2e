import type { Client } from '@dtplatform/sdk';
import { itemOf, readRows } from './csv';
import type { Sheet } from './csv';
import { MAX_ITEMS } from './model';
import type { Place } from './use-fields';

/** Attempts while the platform is busy. */
const RETRIES = 10;
const TIMEOUT_MS = 120_000;
const MAX_PROBLEMS = 20;

/** A row that is not imported. Numbers are those of a spreadsheet, in which the headers are row 1. */
interface Problem {
  row: number;
  /** The column and the cell that does not fit its type. */
  cell?: { header: string; cell: string };
  /** The platform's message. */
  message?: string;
}

export interface Progress {
  imported: number;
  failed: number;
  /** Of the file, from 0 to 1. */
  share: number;
  /** The first ones. */
  problems: Problem[];
}

export interface ImportOptions {
  client: Client;
  place: Place;
  /** A field without which the platform takes no item. */
  required?: string;
  onProgress: (progress: Progress) => void;
  signal: AbortSignal;
}

/** Adds the rows of a file to a collection. Those that do not fit are left out and listed. */
export async function importRows(sheet: Sheet, options: ImportOptions): Promise<void> {
  const progress: Progress = { imported: 0, failed: 0, share: 0, problems: [] };
  let row = 1;
  const fail = (problem: Problem) => {
    progress.failed += 1;
    if (progress.problems.length < MAX_PROBLEMS) progress.problems.push(problem);
  };
  const report = () => options.onProgress({ ...progress, problems: [...progress.problems] });

  await readRows(sheet, async (rows, share) => {
    const valid: { row: number; item: object }[] = [];
    for (const cells of rows) {
      row += 1;
      if (cells.every((cell) => cell.trim() === '')) continue;
      const { item, problem } = itemOf(cells, sheet.mappings);
      const { required } = options;
      if (problem) fail({ row, cell: problem });
      else if (required !== undefined && !(required in item)) fail({ row, cell: { header: required, cell: '' } });
      else valid.push({ row, item });
    }
    for (let start = 0; start < valid.length; start += MAX_ITEMS) {
      const batch = valid.slice(start, start + MAX_ITEMS);
      const failures = await add(batch, options);
      for (const { index, message } of failures) fail({ row: batch[index]!.row, message });
      progress.imported += batch.length - failures.length;
      report();
    }
    progress.share = share;
    report();
  });
  progress.share = 1;
  report();
}

/** @throws if cancelled, and the errors of the platform */
async function add(batch: { item: object }[], { client, place, signal }: ImportOptions) {
  signal.throwIfAborted();
  const body = batch.map(({ item }) => item);
  const options = { signal, retries: RETRIES, timeoutMs: TIMEOUT_MS };
  const added = await client.call('itemsvc.relatedItems.createMany', { ...place, ...options, body } as never);
  return (added as { _failures?: { index: number; message: string }[] })._failures ?? [];
}
