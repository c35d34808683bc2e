import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pc from 'picocolors';
import { Interrupted, onInterrupt } from './program/interrupts.js';
import { programOptions, USAGE } from './program/options.js';
import { stateDir } from './program/run-program.js';
import { welcome } from './program/welcome.js';
import { lineReport, type Report } from './report.js';
import { startStack, type Stack } from './start-stack.js';
import { runTour } from './tour/index.js';

async function main(): Promise<void> {
  process.stdout.on('error', () => undefined); // the reader of our output has gone; the stack continues
  const options = programOptions(process.argv.slice(2), process.env);
  if (options.help) return void console.log(USAGE);
  const signal = onInterrupt(console.log);
  const begun = performance.now();
  const report = lineReport();
  const env = options.small ? { ...process.env, WORKERS: 'inline' } : process.env;
  const stack = await startStack({ ...options, env, stateDir, report, signal });
  const seconds = (performance.now() - begun) / 1000;
  try {
    if (options.tour) await tourOnFirstStart(stack, report, signal);
    const demo = options.demo ? await startDemoOf(stack, report, signal) : undefined;
    if (!signal.aborted) console.log(welcome(stack.dev, demo, stateDir, seconds));
    await aborted(signal);
  } finally {
    await stack.stop();
    console.log('stopped');
  }
}

/** A failed tour is reported and does not stop the stack, so that the problem can be examined. */
async function tourOnFirstStart({ dev }: Stack, report: Report, signal: AbortSignal): Promise<void> {
  const passed = path.join(stateDir, 'tour-passed');
  if (existsSync(passed)) return;
  try {
    report.progress('tour', 'using everything once');
    const { steps, seconds } = await runTour({ dev, write: () => undefined, signal });
    report.ready('tour', `${steps} steps passed in ${seconds.toFixed(1)} s; \`npm run tour\` shows them`);
    await writeFile(passed, new Date().toISOString());
  } catch (error) {
    if (signal.aborted) return;
    console.error(pc.red(`The tour failed: ${(error as Error).message}`));
    process.exitCode = 1;
  }
}

/** Loads the demo only if it is wanted: it has dependencies of its own. */
async function startDemoOf({ dev, backends: { mongoUrl } }: Stack, report: Report, signal: AbortSignal) {
  const { startDemo } = await import('./demo/index.js');
  return startDemo({ dev, mongoUrl, stateDir, report, signal });
}

async function aborted(signal: AbortSignal): Promise<void> {
  while (!signal.aborted) await sleep(2 ** 30, undefined, { signal }).catch(() => undefined);
}

main().catch((error: unknown) => {
  if (error instanceof Interrupted) return void (process.exitCode = 130);
  console.error(pc.red((error as Error).message));
  process.exitCode = 1;
});
