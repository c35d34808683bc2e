import { RELEASE } from '../tools/helm.js';
import type { TestRun } from '../test-run.js';

export async function uninstall({ helm, kubectl, options, report }: TestRun): Promise<void> {
  await helm.run('uninstall', RELEASE, '--wait', '--timeout', '5m');
  await kubectl.run('delete', 'namespace', options.namespace, '--wait', '--timeout=120s');
  report.ready('uninstall', 'release and namespace are gone');
}
