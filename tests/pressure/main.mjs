/**
 * `npm run test:pressure`: tries to exhaust the platform's memory.
 *
 * Starts all services on this machine with the heap size that Node.js derives from the charts' memory limits, sends
 * hostile requests, and prints each process's peak memory and its limit. Fails if a process exceeded its limit, ended,
 * failed its liveness probe as often as Kubernetes tolerates, or is not ready at the end. Ends by itself after a few
 * minutes.
 *
 * `npm run test:pressure -- JSON items` runs only the attacks whose descriptions contain one of these words.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lineReport, onInterrupt, startStack } from '@dtplatform/stack';
import { attacks } from './attacks.mjs';
import { createCallers } from './callers.mjs';
import { memoryLimits } from './limits.mjs';
import { watch } from './watch.mjs';

/** Node.js sizes the heap of a container at half of its memory limit. */
const HEAP_SHARE = 2;
const MIB = 1024 * 1024;

const words = process.argv.slice(2);
const isWanted = (about) => words.length === 0 || words.some((word) => about.includes(word));
const report = lineReport();
const limits = memoryLimits();
const interrupted = new AbortController();
onInterrupt(() => interrupted.abort(new Error('It was interrupted.')));

async function main() {
  const stateDir = await mkdtemp(join(tmpdir(), 'dtplatform-pressure-'));
  const heapOf = (name) => Math.floor(limits.get(name) / HEAP_SHARE / MIB);
  const nodeOptions = (name) => (limits.has(name) ? `--max-old-space-size=${heapOf(name)}` : '');
  const quiet = { ...report, progress: () => undefined };
  const stack = await startStack({ stateDir, report: quiet, nodeOptions, signal: interrupted.signal });
  try {
    const watching = watch(stack.services, limits);
    const callers = await createCallers(stack);
    for (const { about, run } of attacks.filter(({ about }) => isWanted(about))) {
      interrupted.signal.throwIfAborted();
      console.log(`\n${about}`);
      // An attack fails when it ends a process, which the watch reports.
      console.log(`  ${await run(callers).catch((error) => error.message)}`);
    }
    return await watching.end();
  } finally {
    await stack.stop();
    await rm(stateDir, { recursive: true, force: true });
  }
}

const { table, faults } = await main();
console.log(`\n${table}`);
for (const fault of faults) console.log(fault);
console.log(faults.length === 0 ? '\nNo process exceeded its limit.' : `\n${faults.length} failed`);
process.exit(faults.length === 0 ? 0 : 1);
