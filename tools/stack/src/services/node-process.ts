import { freePort } from '../ports.js';
import { type LongRunning, startLongRunning } from '../processes/long-running.js';
import { until } from '../processes/until.js';
import { SHUTDOWN_GRACE_MS } from './environment.js';

const READY_TIMEOUT_MS = 120_000;

/**
 * As in the image (docker/Dockerfile). Node.js sizes the young generation by the memory limit of the container: at 512
 * MiB it would be 1 MiB, and most objects of a request would be promoted to the old generation.
 */
export const NODE_FLAGS = ['--enable-source-maps', '--max-semi-space-size=32'];

/** A small installation has no load that is worth a young generation of 96 MiB in each process. */
const SMALL_FLAGS = ['--max-semi-space-size=8'];

export interface ServiceProcess extends LongRunning {
  /** Serves `/livez`, `/readyz` and `/metrics`. */
  adminUrl: string;
  /** The URL that bypasses the gateway; workers have none. */
  url?: string;
  /** Restarts the program after this process has ended. The caller stops it. */
  startAgain: () => Promise<ServiceProcess>;
  /** Starts another process of the same service. The caller stops it. */
  startReplica: () => Promise<ServiceProcess>;
}

export interface NodeProcess {
  name: string;
  program: string;
  env: NodeJS.ProcessEnv;
  stateDir: string;
  signal: AbortSignal;
}

/** Runs a program of a service until it exits. Throws with the last lines of its log if it fails. */
export async function runNode({ name, program, env, stateDir, signal }: NodeProcess): Promise<void> {
  const running = await startNode({ name, program, env, stateDir });
  signal.addEventListener('abort', running.kill);
  const how = await running.exited.finally(() => signal.removeEventListener('abort', running.kill));
  signal.throwIfAborted();
  if (how !== 'exit code 0') throw await failed(running, how);
}

/** Starts a program of a service and waits until `/readyz` on its admin port succeeds. */
export async function serveNode(node: NodeProcess): Promise<ServiceProcess> {
  const { name, program, env, stateDir, signal } = node;
  const adminPort = await freePort();
  const adminUrl = `http://127.0.0.1:${adminPort}`;
  const running = await startNode({ name, program, env: { ...env, ADMIN_PORT: String(adminPort) }, stateDir });
  const exit = running.exited.then(async (how) => Promise.reject(await failed(running, how)));
  exit.catch(() => undefined); // an exit after readiness is not a failed start
  try {
    await Promise.race([untilReady(adminUrl, running, signal), exit]);
    return { ...running, adminUrl, startAgain: () => serveNode(node), startReplica: () => serveReplica(node) };
  } catch (error) {
    await running.stop();
    throw error;
  }
}

async function serveReplica(node: NodeProcess): Promise<ServiceProcess> {
  const port = await freePort();
  const name = `${node.name}-${port}`;
  const running = await serveNode({ ...node, name, env: { ...node.env, PORT: String(port) } });
  return { ...running, url: `http://127.0.0.1:${port}` };
}

const startNode = ({ name, program, env, stateDir }: Omit<NodeProcess, 'signal'>): Promise<LongRunning> =>
  startLongRunning({
    name,
    command: process.execPath,
    args: [...NODE_FLAGS, ...(env.WORKERS === 'inline' ? SMALL_FLAGS : []), program],
    env,
    stateDir,
    graceMs: SHUTDOWN_GRACE_MS + 2_000,
  });

/** @throws Error with the last answer and the last lines of the log when the process does not become ready in time */
async function untilReady(adminUrl: string, running: LongRunning, signal: AbortSignal): Promise<void> {
  let answer = '';
  const isReady = async () => {
    try {
      const response = await fetch(`${adminUrl}/readyz`, { signal: AbortSignal.timeout(3_000) });
      answer = await response.text();
      return response.ok;
    } catch (error) {
      answer = String(error);
      return false;
    }
  };
  try {
    await until(`/readyz of ${running.name}`, isReady, { timeoutMs: READY_TIMEOUT_MS, signal });
  } catch (error) {
    signal.throwIfAborted();
    throw await failed(running, `${(error as Error).message}; its last answer: ${answer}`);
  }
}

async function failed(running: LongRunning, how: string): Promise<Error> {
  return new Error(
    `${running.name} did not start (${how}). The end of ${running.logFile}:\n${await running.lastLines(15)}`,
  );
}
