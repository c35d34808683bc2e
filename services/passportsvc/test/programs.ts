import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { run } from '../src/admin/run.js';

const hooks = fileURLToPath(new URL('../../../libs/lifecycle/test/fixtures/register.mjs', import.meta.url));
type Environment = Record<string, string | undefined>;

/** Starts a program of this service (`main`, `admin`) in its own process, from source. */
export function startProgram(name: string, env: Environment, args: readonly string[] = []) {
  const program = fileURLToPath(new URL(`../src/${name}.ts`, import.meta.url));
  const child = spawn(process.execPath, ['--conditions=source', '--no-warnings', '--import', hooks, program, ...args], {
    env: { PATH: process.env.PATH, ...env },
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, stdout, stderr }));
  return { child, ended, output: () => stdout + stderr };
}

/** Runs the administration program in its own process. @param input its standard input */
export async function spawnAdmin(env: Environment, args: readonly string[], input = '') {
  const { child, ended } = startProgram('admin', env, args);
  child.stdin.end(input);
  const { code, stdout, stderr } = await ended;
  return resultOf(code, stdout, stderr);
}

/** The same in this process, which is much faster. */
export async function runAdmin(env: Environment, args: readonly string[], input = '') {
  const [stdout, stderr] = [collector(), collector()];
  const around = { env, stdin: Readable.from([input]), stdout, stderr };
  const code = await run(args, around);
  return resultOf(code, stdout.text(), stderr.text());
}

const resultOf = (code: number | null, stdout: string, stderr: string) => ({
  code,
  stdout,
  stderr,
  audit: stderr
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Record<string, unknown>),
  json: () => JSON.parse(stdout) as Record<string, unknown>,
});

function collector() {
  let collected = '';
  return { write: (text: string) => void (collected += text), text: () => collected };
}
