import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Runs `work` with a temporary folder. */
export async function withScratch(work) {
  const scratch = mkdtempSync(join(tmpdir(), 'dtplatform-charts-'));
  try {
    return await work(scratch);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}
