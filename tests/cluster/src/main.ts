import { setMaxListeners } from 'node:events';
import pc from 'picocolors';
import { lineReport, onInterrupt } from '@dtplatform/stack';
import { readOptions, usageOf } from './options.js';
import { apply } from './phases/apply.js';
import { autoscale } from './phases/autoscale.js';
import { endToEnd } from './phases/end-to-end.js';
import { faults } from './phases/faults.js';
import { ingress } from './phases/ingress.js';
import { keda } from './phases/keda.js';
import { kill } from './phases/kill.js';
import { monitors } from './phases/monitors.js';
import { nodeMemory } from './phases/node-memory.js';
import { oneService } from './phases/one-service.js';
import { outage } from './phases/outage.js';
import { pods } from './phases/pods.js';
import { helmTest, install, rollback, tour, uninstall, upgrade } from './phases/release.js';
import { restore } from './phases/restore.js';
import { policies } from './phases/policies.js';
import { rotate } from './phases/rotate.js';
import { sizing } from './phases/sizing.js';
import { prepare, type TestRun } from './test-run.js';

const WORK: Record<string, (run: TestRun) => Promise<void>> = {
  install,
  'helm-test': helmTest,
  apply,
  tour,
  e2e: endToEnd,
  upgrade,
  rollback,
  kill,
  outage,
  pods,
  ingress,
  'one-service': oneService,
  policies,
  rotate,
  autoscale,
  keda,
  monitors,
  faults,
  restore,
  sizing,
  'node-memory': nodeMemory,
  uninstall,
};

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2), Object.keys(WORK));
  if (options === 'help') return void console.log(usageOf(Object.keys(WORK)));
  const signal = onInterrupt(console.log);
  // Each request adds a listener to the signal, which stays until the request is garbage-collected.
  setMaxListeners(0, signal);
  const run = await prepare(options, { env: process.env, signal, report: lineReport() });
  for (const phase of options.phases) {
    run.report.progress(phase, 'started');
    await WORK[phase]!(run);
  }
  for (const { what, reason } of run.skipped) console.log(pc.yellow(`skipped ${what}: ${reason}`));
  const except =
    run.skipped.length > 0 ? `, except what was skipped: ${run.skipped.map(({ what }) => what).join(', ')}` : '';
  console.log(pc.green(`cluster test passed${except}`));
}

main().catch((error: unknown) => {
  console.error(pc.red(`The cluster test failed: ${(error as Error).message}`));
  process.exitCode = 1;
});
