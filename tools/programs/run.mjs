import { spawn } from 'node:child_process';

/** Like a shell's exit code of a program that a signal ended. */
const ENDED_BY_SIGNAL = 128;

/** Runs a program. Resolves with its exit code, its standard output, and both outputs in the order they arrived. */
export function run([program, ...args], { cwd, env = {} } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
    let stdout = '';
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text) => ((stdout += text), (output += text)));
    child.stderr.setEncoding('utf8').on('data', (text) => (output += text));
    child.once('error', reject);
    child.once('close', (code) => resolve({ code: code ?? ENDED_BY_SIGNAL, stdout, output: output.trim() }));
  });
}
