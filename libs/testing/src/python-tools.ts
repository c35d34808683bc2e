import { execFile } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';

interface Finished {
  code: number;
  output: string;
}

/**
 * Installs Python packages in the versions that a requirements file pins, once for all clones of this user.
 * @param cache folder below `dtplatform` in the user's cache folder
 * @returns a function that runs Python with them
 */
export async function installPythonTools(
  cache: string,
  name: string,
  requirements: string,
): Promise<(args: string[], env?: NodeJS.ProcessEnv) => Promise<Finished>> {
  const root = path.join(process.env.XDG_CACHE_HOME || path.join(homedir(), '.cache'), 'dtplatform', cache);
  const { output: version } = await must('python3', ['-c', 'import sys; print(sys.version_info[:2])']);
  const key = createHash('sha256')
    .update(await readFile(requirements))
    .update(`${process.platform} ${process.arch} ${version}`);
  const dir = path.join(root, `${name}-${key.digest('hex').slice(0, 16)}`);
  if (!existsSync(dir)) await install(root, dir, requirements);
  return (args, env) => run(path.join(dir, 'bin/python'), args, env);
}

/** An interrupted installation leaves nothing under the final name. */
async function install(root: string, dir: string, requirements: string): Promise<void> {
  await mkdir(root, { recursive: true });
  const draft = path.join(root, `tmp-${randomUUID()}`);
  try {
    await must('python3', ['-m', 'venv', draft]);
    const options = ['--quiet', '--disable-pip-version-check', '--no-deps', '--requirement', requirements];
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
