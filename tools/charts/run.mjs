import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';

/** Runs a program. Resolves with its exit code, its standard output, and both outputs in the order they arrived. */
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

/** Runs `work` for each item, as many at a time as there are processors. The results are in the order of the items. */
export async function forEach(items, work) {
  const queue = [...items.entries()];
  const results = [];
  const worker = async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) results[next[0]] = await work(next[1]);
  };
  await Promise.all(Array.from({ length: availableParallelism() }, worker));
  return results;
}
