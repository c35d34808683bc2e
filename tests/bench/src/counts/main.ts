import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { lineReport } from '@dtplatform/stack';
import { countHead, countLine, idleLine } from './count-table.js';
import { countIdle, countOperation, type Counted } from './count.js';
import { createMeter, type Meter, startCountedStack } from './meter.js';
import { openWorkspace, type Operation } from './operations/operation.js';
import { writeReference } from './reference.js';

const IDLE_SECONDS = 30;

/**
 * Counts the cost of operations on a separate platform, and prints a line for each.
 * @param write whether the counts become the reference
 */
export async function countOperations(operations: readonly Operation[], write: boolean): Promise<void> {
  const stateDir = await mkdtemp(path.join(tmpdir(), 'dtplatform-counts-'));
  const report = { ...lineReport(), progress: () => undefined };
  const stack = await startCountedStack(stateDir, report);
  const counted: Counted[] = [];
  let meter: Meter | undefined;
  try {
    meter = await createMeter(stack, stateDir);
    const place = await openWorkspace(stack.dev);
    const idle = await countIdle(meter, IDLE_SECONDS);
    console.log(`\n${countHead()}\n${idleLine(idle)}`);
    for (const operation of operations) {
      const lines = await countOperation(operation, { place, meter, idle }).catch((error: unknown) => {
        // The other operations are still counted.
        report.warn(operation.name, (error as Error).message);
        process.exitCode = 1;
        return [];
      });
      for (const one of lines) console.log(countLine(one));
      counted.push(...lines);
    }
    if (write) await writeReference(counted);
  } finally {
    await meter?.close();
    await stack.stop();
    await rm(stateDir, { recursive: true, force: true });
  }
}
