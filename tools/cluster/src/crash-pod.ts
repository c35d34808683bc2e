import type { Kubectl } from './tools/kubectl.js';

/**
 * Crashes the process of a pod without a chance to clean up. Force-deleting the pod does not do that: the node still
 * terminates it gracefully. A signal from inside does not either: the kernel protects process 1 of a container. So the
 * script opens the process's debugger and makes it abort, or evaluate what else crashes it.
 */
const program = (expression: string) => `
process.kill(1, 'SIGUSR1');
const find = async () => (await (await fetch('http://127.0.0.1:9229/json/list')).json())[0].webSocketDebuggerUrl;
let url;
for (let i = 0; i < 50 && !url; i += 1) url = await find().catch(() => new Promise((next) => setTimeout(next, 100)));
const socket = new WebSocket(url);
socket.onopen = () =>
  socket.send(JSON.stringify({ id: 1, method: 'Runtime.evaluate', params: { expression: ${JSON.stringify(expression)} } }));
await new Promise((closed) => (socket.onclose = socket.onerror = closed));
`;

/** Rejects if the process survives. */
export async function crashPod(kubectl: Kubectl, pod: string, expression = 'process.abort()'): Promise<void> {
  const restarts = () =>
    kubectl.run('get', 'pod', pod, '--output=jsonpath={.status.containerStatuses[0].restartCount}');
  const before = await restarts();
  // The command is killed together with the container, so its exit code says nothing.
  const script = program(expression);
  await kubectl.run('exec', pod, '--', 'node', '--input-type=module', '--eval', script).catch(() => undefined);
  await kubectl.run(
    ...['wait', `pod/${pod}`, '--timeout=30s'],
    `--for=jsonpath={.status.containerStatuses[0].restartCount}=${Number(before) + 1}`,
  );
}
