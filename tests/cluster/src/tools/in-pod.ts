import type { Kubectl } from './kubectl.js';

/**
 * Runs a program (an ES module) in a pod of a service. The pod has Node.js, the client libraries of the backends, and
 * the secrets as files. Resolves with the program's output.
 */
export const runInPod = (kubectl: Kubectl, pod: string, program: string): Promise<string> =>
  kubectl.run('exec', pod, '--', 'node', '--input-type=module', '--eval', program);

/** Runs a program that prints JSON, and resolves with the parsed output. */
export async function readFromPod<T>(kubectl: Kubectl, pod: string, program: string): Promise<T> {
  return lastLine(await runInPod(kubectl, pod, program));
}

const lastLine = <T>(output: string): T => JSON.parse(output.trim().split('\n').at(-1)!) as T;

/** Defines `db(service)` for a program, and closes the connection afterwards. */
const withMongo = (program: string) => `
import { MongoClient } from 'mongodb';
const client = await MongoClient.connect('mongodb://mongodb:27017/?directConnection=true');
const db = (service) => client.db('dtplatform_' + service);
try { ${program} } finally { await client.close(); }`;

/** Runs a program that uses `db(service)`, in the pod that can reach the MongoDB of the development backends. */
export const inMongo = (kubectl: Kubectl, program: string): Promise<string> =>
  runInPod(kubectl, 'deployment/mongodb-replica-set', withMongo(program));

/** The same for a program that prints JSON. */
export const readFromMongo = async <T>(kubectl: Kubectl, program: string): Promise<T> =>
  lastLine(await inMongo(kubectl, program));

/** Runs a program that uses `redis`, in a pod that can reach Redis. */
export const inRedis = (kubectl: Kubectl, program: string): Promise<string> =>
  runInPod(
    kubectl,
    'deployment/objectmodelsvc',
    `
import { Redis } from 'ioredis';
const redis = new Redis('redis://redis:6379');
try { ${program} } finally { redis.disconnect(); }`,
  );

/**
 * Evaluates an expression in the process of a pod, through its debugger.
 * @param expression in JavaScript; its value is ignored
 */
export const inProcess = (kubectl: Kubectl, pod: string, expression: string): Promise<string> =>
  runInPod(
    kubectl,
    pod,
    `
process.kill(1, 'SIGUSR1');
const find = async () => (await (await fetch('http://127.0.0.1:9229/json/list')).json())[0].webSocketDebuggerUrl;
let url;
for (let i = 0; i < 50 && !url; i += 1) url = await find().catch(() => new Promise((next) => setTimeout(next, 100)));
const socket = new WebSocket(url);
const evaluate = { id: 1, method: 'Runtime.evaluate', params: { expression: ${JSON.stringify(expression)} } };
socket.onopen = () => socket.send(JSON.stringify(evaluate));
await new Promise((done) => (socket.onmessage = socket.onclose = socket.onerror = done));
socket.close();`,
  );
