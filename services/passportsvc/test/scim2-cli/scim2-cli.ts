import { execFile } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const REQUIREMENTS = fileURLToPath(new URL('requirements.txt', import.meta.url));
const CACHE = path.join(process.env.XDG_CACHE_HOME || path.join(homedir(), '.cache'), 'dtplatform', 'scim-tools');

export interface Finished {
  code: number;
  output: string;
}

/** Installs scim2-cli in the versions of `requirements.txt`, once for all clones. @returns a function that runs it */
export async function installScim2Cli(): Promise<(args: string[], env: NodeJS.ProcessEnv) => Promise<Finished>> {
  const { output: version } = await must('python3', ['-c', 'import sys; print(sys.version_info[:2])']);
  const key = createHash('sha256')
    .update(await readFile(REQUIREMENTS))
    .update(`${process.platform} ${process.arch} ${version}`);
  const dir = path.join(CACHE, `scim2-cli-${key.digest('hex').slice(0, 16)}`);
  if (!existsSync(dir)) await install(dir);
  // As a module: scripts contain the path of the folder in which they were installed.
  return (args, env) => run(path.join(dir, 'bin/python'), ['-c', 'from scim2_cli import cli; cli()', ...args], env);
}

/** An installation that was interrupted leaves nothing behind under the final name. */
async function install(dir: string): Promise<void> {
  await mkdir(CACHE, { recursive: true });
  const draft = path.join(CACHE, `tmp-${randomUUID()}`);
  try {
    await must('python3', ['-m', 'venv', draft]);
    const options = ['--quiet', '--disable-pip-version-check', '--no-deps', '--requirement', REQUIREMENTS];
    await must(path.join(draft, 'bin/python'), ['-m', 'pip', 'install', ...options]);
    await rename(draft, dir);
  } catch (error) {
    if (!existsSync(dir)) throw error;
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

async function must(command: string, args: string[]): Promise<Finished> {
  const finished = await run(command, args);
  if (finished.code !== 0) throw new Error(`${command} ${args.join(' ')} failed:\n${finished.output}`);
  return finished;
}

function run(command: string, args: string[], env: NodeJS.ProcessEnv = {}): Promise<Finished> {
  return new Promise((resolve) => {
    execFile(
      command,
      args,
      { env: { ...process.env, ...env }, maxBuffer: 64 * 1024 * 1024 },
      (error, stdout, stderr) => {
        const code = typeof error?.code === 'number' ? error.code : error ? 1 : 0;
        resolve({ code, output: `${stdout}${stderr}${error && code === 1 && !stderr ? error.message : ''}` });
      },
    );
  });
}
