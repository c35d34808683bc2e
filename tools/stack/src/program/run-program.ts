import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { repoRoot } from '../repo-root.js';

export const stateDir = path.join(repoRoot, '.dtplatform');

/** Runs another program of the repository in the terminal, with more settings. Returns its exit code. */
export async function runProgram(file: string, args: string[], settings: NodeJS.ProcessEnv = {}): Promise<number> {
  const { NODE_OPTIONS: _options, ...env } = process.env;
  const child = spawn(process.execPath, ['--enable-source-maps', path.join(repoRoot, file), ...args], {
    // npm changes the working folder; arguments are relative to the original one.
    cwd: env.INIT_CWD,
    env: { ...env, ...settings },
    stdio: 'inherit',
  });
  const [code] = (await once(child, 'close')) as [number | null];
  return code ?? 1;
}
