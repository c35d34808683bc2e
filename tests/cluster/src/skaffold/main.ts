import pc from 'picocolors';
import { lineReport, onInterrupt } from '@dtplatform/stack';
import { debug } from './debug.js';
import { devLoop } from './dev-loop.js';
import { missingPrograms } from './missing-programs.js';
import { readSkaffoldOptions, USAGE, type SkaffoldPhase } from './options.js';
import { prepareSkaffold, type SkaffoldRun } from './prepare.js';

const LIMIT_MS = 40 * 60_000;

const WORK: Record<SkaffoldPhase, (run: SkaffoldRun) => Promise<void>> = { dev: devLoop, debug };

async function main(): Promise<void> {
  const options = readSkaffoldOptions(process.argv.slice(2));
  if (options === 'help') return void console.log(USAGE);
  const signal = AbortSignal.any([onInterrupt(console.log), AbortSignal.timeout(LIMIT_MS)]);
  const context = { env: process.env, signal, report: lineReport() };
  const missing = await missingPrograms(options, context);
  if (missing.length > 0)
    return void console.log(pc.yellow(['skaffold test skipped, because it needs', ...missing].join('\n  - ')));

  const undo: (() => Promise<unknown>)[] = [];
  try {
    const run = await prepareSkaffold(options, context, undo);
    for (const phase of options.phases) {
      run.report.progress(phase, 'started');
      await WORK[phase](run);
    }
  } finally {
    for (const work of undo.reverse()) await work();
  }
  console.log(pc.green('skaffold test passed'));
}

main().catch((error: unknown) => {
  console.error(pc.red(`The skaffold test failed: ${(error as Error).message}`));
  process.exitCode = 1;
});
