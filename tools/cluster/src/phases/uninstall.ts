import { RELEASE } from '../tools/helm.js';
import type { Surroundings } from '../surroundings.js';

/** Removes the platform and its namespace; nothing may be left. */
export async function uninstall({ helm, kubectl, options, report }: Surroundings): Promise<void> {
  await helm.run('uninstall', RELEASE, '--wait', '--timeout', '5m');
  await kubectl.run('delete', 'namespace', options.namespace, '--wait', '--timeout=120s');
  report.ready('uninstall', 'release and namespace are gone');
}
