import type { Kubectl } from './tools/kubectl.js';

/**
 * Ends the process of a pod at once, in the middle of whatever it does. Deleting a pod by force does not: the node still
 * ends it in order. Nor can a signal, since the first process of a container ignores those that kill; so it is asked to
 * open its debugger, in which it is told to abort.
 */
const PROGRAM = `
process.kill(1, 'SIGUSR1');
const find = async () => (await (await fetch('http://127.0.0.1:9229/json/list')).json())[0].webSocketDebuggerUrl;
let url;
for (let i = 0; i < 50 && !url; i += 1) url = await find().catch(() => new Promise((next) => setTimeout(next, 100)));
const socket = new WebSocket(url);
socket.onopen = () =>
  socket.send(JSON.stringify({ id: 1, method: 'Runtime.evaluate', params: { expression: 'process.abort()' } }));
await new Promise((closed) => (socket.onclose = socket.onerror = closed));
`;

/** Throws when the process outlives it. */
export async function crash(kubectl: Kubectl, pod: string): Promise<void> {
  const restarts = () =>
    kubectl.run('get', 'pod', pod, '--output=jsonpath={.status.containerStatuses[0].restartCount}');
  const before = await restarts();
  // It ends with the container, one way or another.
  await kubectl.run('exec', pod, '--', 'node', '--input-type=module', '--eval', PROGRAM).catch(() => undefined);
  await kubectl.run(
    ...['wait', `pod/${pod}`, '--timeout=30s'],
    `--for=jsonpath={.status.containerStatuses[0].restartCount}=${Number(before) + 1}`,
  );
}
