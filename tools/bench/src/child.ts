import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** A program of this package, by its path below `dist` without the ending. */
const program = (name: string): string => fileURLToPath(new URL(`${name}.js`, import.meta.url));

function start(name: string, argument: unknown): ChildProcess {
  const { NODE_OPTIONS: _options, ...env } = process.env;
  return spawn(process.execPath, [program(name), JSON.stringify(argument)], {
    env: { ...env, NODE_ENV: 'production' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

/** Runs a program in a process of its own. It gets its argument as JSON and prints its result as JSON. */
export async function runProgram<T>(name: string, argument: unknown): Promise<T> {
  const child = start(name, argument);
  const ended = once(child, 'exit') as Promise<[number | null]>;
  const chunks: Buffer[] = [];
  for await (const chunk of child.stdout!) chunks.push(chunk as Buffer);
  const [code] = await ended;
  if (code !== 0) throw new Error(`${name} failed with exit code ${code}`);
  return JSON.parse(Buffer.concat(chunks).toString()) as T;
}

export interface Server {
  url: string;
  stop: () => Promise<void>;
}

/** Starts a server in a process of its own and waits until it has printed its URL. */
export async function startServer(name: string, argument: unknown): Promise<Server> {
  const child = start(name, argument);
  const exited = once(child, 'exit');
  const [url] = (await Promise.race([
    once(createInterface({ input: child.stdout! }), 'line'),
    exited.then(() => Promise.reject(new Error(`${name} ended while it started`))),
  ])) as [string];
  const stop = async () => {
    child.kill('SIGKILL');
    await exited;
  };
  return { url, stop };
}
