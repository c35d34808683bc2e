import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';

/** Runs a program to its end: its exit code, what it wrote, and both outputs in the order they came. */
export function run([program, ...args], { cwd, env = {} } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
    let stdout = '';
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text) => ((stdout += text), (output += text)));
    child.stderr.setEncoding('utf8').on('data', (text) => (output += text));
    child.once('error', reject);
    child.once('close', (code) => resolve({ code: code ?? 1, stdout, output: output.trim() }));
  });
}

/** Does the work for each item, on all processors at once; the results are in the items' order. */
export async function forEach(items, work) {
  const queue = [...items.entries()];
  const results = [];
  const worker = async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) results[next[0]] = await work(next[1]);
  };
  await Promise.all(Array.from({ length: availableParallelism() }, worker));
  return results;
}
