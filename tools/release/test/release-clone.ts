import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

export const repository = path.resolve(import.meta.dirname, '../../..');
export const DIGEST = `sha256:${'0'.repeat(64)}`;

/**
 * Records each call of a program that would publish something. npm runs, but does not publish; helm uses the registry
 * of this clone.
 */
const PROGRAMS = {
  docker: `case "$*" in *--format*) echo ${DIGEST} ;; *) exit 1 ;; esac`,
  cosign: '',
  npm: 'case $1 in ci) ;; publish) exec NPM "$@" --dry-run --no-provenance ;; *) exec NPM "$@" ;; esac',
  helm: 'case $1 in push | show) exec HELM "$@" --plain-http ;; *) exec HELM "$@" ;; esac',
};

export type ReleaseClone = Awaited<ReturnType<typeof createReleaseClone>>;

/** A clone of this repository with its installed packages, and a registry of charts that a release pushes to. */
export async function createReleaseClone() {
  const { getHelmPath, getRegistryPath } = (await import(path.join(repository, 'tools/programs/go.mjs'))) as {
    getHelmPath: () => Promise<string>;
    getRegistryPath: () => Promise<string>;
  };
  const folder = mkdtempSync(path.join(tmpdir(), 'dtplatform-release-'));
  const root = path.join(folder, 'clone');
  const calls = path.join(folder, 'calls');
  const registry = spawn(await getRegistryPath(), ['-port', '0'], { stdio: ['ignore', 'ignore', 'pipe'] });
  const [line] = (await once(registry.stderr, 'data')) as [Buffer];
  const host = `localhost:${/serving on port (\d+)/.exec(line.toString())![1]!}`;

  const programs = writePrograms(path.join(folder, 'bin'), calls, await getHelmPath());
  const env = {
    ...{ ...process.env, PATH: `${programs}:${process.env.PATH!}` },
    ...{ TURBO_CACHE_DIR: path.join(repository, '.turbo/cache'), GITHUB_REPOSITORY: 'twins/dtplatform' },
    ...{ GITHUB_REPOSITORY_OWNER: 'twins', GITHUB_SERVER_URL: 'https://example.com', GITHUB_ACTOR: 'test' },
  };
  execFileSync('git', ['clone', '--quiet', repository, root]);
  linkAllPackages(root);

  const start = (program: string, ...args: string[]) => spawnSync(program, args, { cwd: root, encoding: 'utf8', env });
  const run = (program: string, ...args: string[]) => {
    const { status, stdout, stderr } = start(program, ...args);
    if (status !== 0) throw new Error(`${program} ${args.join(' ')} exited with ${status}:\n${stdout}${stderr}`);
    return stdout;
  };
  return {
    ...{ root, env, host, start, run },
    file: (name: string) => path.join(root, name),
    read: (name: string) => readFileSync(path.join(root, name), 'utf8'),
    commit() {
      const author = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com'];
      run('git', 'add', '--all');
      run('git', ...author, 'commit', '--quiet', '--no-verify', '--message', 'test');
    },
    callsOf: (program: string) =>
      readFileSync(calls, 'utf8')
        .split('\n')
        .filter((call) => call.startsWith(`${program} `)),
    forgetCalls: () => rmSync(calls),
    async stop() {
      registry.kill();
      await once(registry, 'exit');
      rmSync(folder, { recursive: true });
    },
  };
}

function writePrograms(folder: string, calls: string, helm: string): string {
  mkdirSync(folder);
  const npm = execFileSync('which', ['npm'], { encoding: 'utf8' }).trim();
  for (const [name, commands] of Object.entries(PROGRAMS)) {
    const lines = ['#!/bin/sh', `echo "${name} $*" >>${calls}`, commands];
    const script = lines.join('\n').replaceAll('NPM', npm).replaceAll('HELM', helm);
    writeFileSync(path.join(folder, name), `${script}\n`, { mode: 0o755 });
  }
  return folder;
}

function linkAllPackages(root: string): void {
  const lock = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8')) as { packages: object };
  const installed = Object.keys(lock.packages).flatMap((name) => /^.*?node_modules/.exec(name) ?? []);
  for (const name of new Set(installed)) linkPackages(root, name);
}

/** Links the installed packages of a folder. Those of the workspace are the clone's own. */
function linkPackages(root: string, name: string): void {
  mkdirSync(path.join(root, name));
  for (const entry of readdirSync(path.join(repository, name), { withFileTypes: true })) {
    const at = path.join(name, entry.name);
    const target = path.join(repository, at);
    if (entry.name === '@dtplatform') linkPackages(root, at);
    else symlinkSync(entry.isSymbolicLink() ? readlinkSync(target) : target, path.join(root, at));
  }
}
