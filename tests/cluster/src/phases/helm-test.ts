import { RELEASE } from '../tools/helm.js';
import type { TestRun } from '../test-run.js';

/** Runs the charts' test pods. */
export async function helmTest({ helm, report }: TestRun): Promise<void> {
  await helm.run('test', RELEASE, '--timeout', '5m');
  report.ready('helm test', 'passed');
}
