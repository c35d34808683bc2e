import { RELEASE } from '../tools/helm.js';
import type { Surroundings } from '../surroundings.js';

/** The charts' own tests, in pods. */
export async function helmTest({ helm, report }: Surroundings): Promise<void> {
  await helm.run('test', RELEASE, '--timeout', '5m');
  report.ready('helm test', 'passed');
}
