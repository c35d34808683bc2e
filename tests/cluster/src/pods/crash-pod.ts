import { inProcess } from '../tools/in-pod.js';
import type { Kubectl } from '../tools/kubectl.js';

/**
 * Crashes the process of a pod without a chance to clean up. Force-deleting the pod does not do that: the node still
 * terminates it gracefully. Nor does a signal from inside: the kernel protects process 1 of a container. So its
 * debugger evaluates an expression. Rejects if the process survives.
 */
export async function crashPod(kubectl: Kubectl, pod: string, expression = 'process.abort()'): Promise<void> {
  const restarts = () =>
    kubectl.run('get', 'pod', pod, '--output=jsonpath={.status.containerStatuses[0].restartCount}');
  const before = await restarts();
  // The command is killed together with the container, so its exit code is meaningless.
  await inProcess(kubectl, pod, expression).catch(() => undefined);
  await kubectl.run(
    ...['wait', `pod/${pod}`, '--timeout=90s'],
    `--for=jsonpath={.status.containerStatuses[0].restartCount}=${Number(before) + 1}`,
  );
}
