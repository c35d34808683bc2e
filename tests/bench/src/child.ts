import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface, type Interface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { NODE_FLAGS } from '@dtplatform/stack';

/** A program of this package, by its path below `dist` without the extension. */
const program = (name: string): string => fileURLToPath(new URL(`${name}.js`, import.meta.url));

/** A process with the flags of a service. Its stderr is shown only if it fails. */
function start(name: string, argument: unknown) {
  const { NODE_OPTIONS: _options, ...env } = process.env;
  const child = spawn(process.execPath, [...NODE_FLAGS, program(name)], {
    env: { ...env, NODE_ENV: 'production' },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  // A program that needs no argument may end before it has read this.
  child.stdin.on('error', () => undefined);
  child.stdin.end(JSON.stringify(argument ?? null));
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const exited = once(child, 'close') as Promise<[number | null]>;
  const failed = () => new Error(`${name} failed: ${said.trim().split('\n').slice(-8).join('\n')}`);
  return { child, exited, failed };
}

/** Runs a program in a separate process. It reads its argument and prints its result as JSON. */
export async function runProgram<T>(name: string, argument: unknown): Promise<T> {
  const { child, exited, failed } = start(name, argument);
  const chunks: Buffer[] = [];
  for await (const chunk of child.stdout) chunks.push(chunk as Buffer);
  const [code] = await exited;
  if (code !== 0) throw failed();
  return JSON.parse(Buffer.concat(chunks).toString()) as T;
}

export interface Server {
  url: string;
  pid: number;
  stop: () => Promise<void>;
}

/** Some servers print warnings first. */
const firstUrl = (lines: Interface): Promise<string> =>
  new Promise((resolve) => lines.on('line', (line) => line.startsWith('http://') && resolve(line)));

/** Starts a server in a separate process and waits until it has printed its URL. */
export async function startServer(name: string, argument?: object): Promise<Server> {
  const { child, exited, failed } = start(name, argument);
  const ended = exited.then(() => Promise.reject(failed()));
  ended.catch(() => undefined);
  const url = await Promise.race([firstUrl(createInterface({ input: child.stdout })), ended]);
  const stop = async () => {
    child.kill('SIGKILL');
    await exited;
  };
  return { url, pid: child.pid!, stop };
}
