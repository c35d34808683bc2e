import { execFileSync, spawn, spawnSync } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
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
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { runWorkflow } from './run-workflow.js';
import type { Action } from './run-workflow.js';

const MINUTES = 60_000;
const repository = path.resolve(import.meta.dirname, '../../..');
const DIGEST = `sha256:${'0'.repeat(64)}`;
const REMOVED = '/metricsvc/api/v1/reconciliations/{id}';
const CLIENTS = ['@dtplatform/sdk', 'dtplatform'];
const SOURCE = 'https://example.com/twins/dtplatform';

/**
 * Records each call of a program that would publish something. npm runs, but does not publish; helm uses the registry
 * of this test.
 */
const PROGRAMS = {
  docker: `case "$*" in *--format*) echo ${DIGEST} ;; *) exit 1 ;; esac`,
  cosign: '',
  npm: 'case $1 in ci) ;; publish) exec NPM "$@" --dry-run --no-provenance ;; *) exec NPM "$@" ;; esac',
  helm: 'case $1 in push | show) exec HELM "$@" --plain-http ;; *) exec HELM "$@" ;; esac',
};

describe('a release', () => {
  const images: string[] = [];
  let folder: string;
  let clone: string;
  let registry: ChildProcess;
  let env: NodeJS.ProcessEnv;
  let host: string;
  let breaks: string;
  let published: { name: string; version: string }[] = [];

  const file = (name: string) => path.join(clone, name);
  const read = (name: string) => readFileSync(file(name), 'utf8');
  const start = (program: string, ...args: string[]) => spawnSync(program, args, { cwd: clone, encoding: 'utf8', env });
  const run = (program: string, ...args: string[]) => {
    const { status, stdout, stderr } = start(program, ...args);
    if (status !== 0) throw new Error(`${program} ${args.join(' ')} exited with ${status}:\n${stdout}${stderr}`);
    return stdout;
  };
  /** Links the installed packages. Those of the workspace are the clone's own. */
  const linkPackages = (name: string) => {
    mkdirSync(file(name));
    for (const entry of readdirSync(path.join(repository, name), { withFileTypes: true })) {
      const target = path.join(repository, name, entry.name);
      if (entry.name === '@dtplatform') linkPackages(path.join(name, entry.name));
      else symlinkSync(entry.isSymbolicLink() ? readlinkSync(target) : target, file(path.join(name, entry.name)));
    }
  };
  const commit = () => {
    const author = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com'];
    run('git', 'add', '--all');
    run('git', ...author, 'commit', '--quiet', '--no-verify', '--message', 'test');
  };
  const callsOf = (program: string) =>
    readFileSync(path.join(folder, 'calls'), 'utf8')
      .split('\n')
      .filter((call) => call.startsWith(`${program} `));
  const chart = (command: string, name: string) =>
    run('helm', ...command.split(' '), `oci://${host}/twins/charts/${name}`, '--version', versionOf(name));
  const versionOf = (name: string) => /^version: (.*)$/m.exec(read(`charts/${name}/Chart.yaml`))![1]!;

  const actions = {
    'changesets/action': ({ version, publish }: Record<string, string>) => {
      run('sh', '-c', version!);
      commit();
      const tags = run('sh', '-c', publish!).matchAll(/New tag:\s+(\S+)@(\S+)/g);
      published = Array.from(tags, ([, name, tag]) => ({ name: name!, version: tag! }));
      return { publishedPackages: JSON.stringify(published) };
    },
    'docker/build-push-action': ({ tags }: Record<string, string>) => (images.push(tags!), {}),
  };
  const release = (standIns: Record<string, Action> = actions) => {
    const github = {
      ...{ event: { repository: { fork: false } }, repository: 'twins/dtplatform', repository_owner: 'twins' },
      ...{ server_url: 'https://example.com', sha: '0'.repeat(40), actor: 'test' },
    };
    const workflow = file('.github/workflows/release.yml');
    writeFileSync(workflow, read('.github/workflows/release.yml').replace('ghcr.io', host));
    const context = { github, vars: {}, secrets: { GITHUB_TOKEN: 'token' } };
    runWorkflow(workflow, { root: clone, env, context, actions: standIns });
  };

  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'dtplatform-release-'));
    clone = path.join(folder, 'clone');
    const { getHelmPath, getRegistryPath } = (await import(path.join(repository, 'tools/programs/go.mjs'))) as {
      getHelmPath: () => Promise<string>;
      getRegistryPath: () => Promise<string>;
    };
    registry = spawn(await getRegistryPath(), ['-port', '0'], { stdio: ['ignore', 'ignore', 'pipe'] });
    const [line] = (await once(registry.stderr!, 'data')) as [Buffer];
    host = `localhost:${/serving on port (\d+)/.exec(line.toString())![1]!}`;

    const programs = path.join(folder, 'bin');
    mkdirSync(programs);
    const npm = execFileSync('which', ['npm'], { encoding: 'utf8' }).trim();
    const helm = await getHelmPath();
    for (const [name, commands] of Object.entries(PROGRAMS)) {
      const lines = ['#!/bin/sh', `echo "${name} $*" >>${folder}/calls`, commands];
      const script = lines.join('\n').replaceAll('NPM', npm).replaceAll('HELM', helm);
      writeFileSync(path.join(programs, name), `${script}\n`, { mode: 0o755 });
    }
    env = {
      ...{ ...process.env, PATH: `${programs}:${process.env.PATH!}` },
      ...{ TURBO_CACHE_DIR: path.join(repository, '.turbo/cache'), GITHUB_REPOSITORY: 'twins/dtplatform' },
      ...{ GITHUB_REPOSITORY_OWNER: 'twins', GITHUB_SERVER_URL: 'https://example.com', GITHUB_ACTOR: 'test' },
    };
    execFileSync('git', ['clone', '--quiet', repository, clone]);
    const { packages } = JSON.parse(read('package-lock.json')) as { packages: object };
    const installed = Object.keys(packages).flatMap((name) => /^.*?node_modules/.exec(name) ?? []);
    for (const name of new Set(installed)) linkPackages(name);

    run('git', 'tag', '--force', `@dtplatform/metricsvc@${versionOf('metricsvc')}`);
    const description = JSON.parse(read('services/metricsvc/openapi.json')) as { paths: Record<string, unknown> };
    delete description.paths[REMOVED];
    writeFileSync(file('services/metricsvc/openapi.json'), JSON.stringify(description));
    writeFileSync(file('.changeset/test.md'), "---\n'@dtplatform/metricsvc': patch\n---\n\nSeries only.\n");
    const check = start('node', 'tools/openapi/compatibility.mjs');
    expect(check.status).toBe(1);
    breaks = check.stdout.split('\n\n')[0]!;
    writeFileSync(file('tools/openapi/accepted-breaks.txt'), `${breaks}\n`);
    expect(start('node', 'tools/openapi/compatibility.mjs')).toMatchObject({ status: 0, stdout: '' });
    commit();
    release();
  }, 5 * MINUTES);
  afterAll(async () => {
    registry.kill();
    await once(registry, 'exit');
    rmSync(folder, { recursive: true });
  });

  it('names the breaking changes of the API in the change log, and is a major one', () => {
    expect(breaks).toContain(REMOVED);
    const [major, ...rest] = versionOf('metricsvc').split('.').map(Number);
    expect([major! > 0, rest]).toEqual([true, [0, 0]]);
    const changes = read('services/metricsvc/CHANGELOG.md');
    expect(changes).toContain('Series only.');
    expect(changes).toMatch(new RegExp(`Breaking changes of the API:\\s+- \`GET ${REMOVED.replace(/[{}]/g, '.')}\`: `));
  });

  it('contains charts that use its images', () => {
    const image = `${host}/twins/dtplatform/metricsvc:${versionOf('metricsvc')}`;
    expect(images).toContain(image);
    const values = path.join(repository, 'charts/platform/examples/minimal/values.yaml');
    const rendered = chart(`template twins --plain-http --kube-version 1.30 --values ${values}`, 'platform');
    const used = Array.from(rendered.matchAll(/^[ -]+image: "?([^\s"]+)/gm), ([, name]) => name);
    expect(used).toContain(image);
    expect(chart('show chart', 'metricsvc')).toContain(`appVersion: ${versionOf('metricsvc')}\n`);
  });

  it('signs each image and each chart', () => {
    const charts = callsOf('helm').filter((call) => call.startsWith('helm push'));
    expect(charts.length).toBeGreaterThan(1);
    const signed = callsOf('cosign').filter((call) => call.startsWith('cosign sign'));
    expect(signed.length).toBe(images.length + charts.length);
    expect(signed).toContain(`cosign sign --yes --recursive ${images[0]!}@${DIGEST}`);
    expect(signed.at(-1)).toMatch(new RegExp(`^cosign sign --yes ${host}/twins/charts/platform@sha256:\\w{64}$`));
  });

  it('publishes the packages that programs install', () => {
    const names = callsOf('npm')
      .filter((call) => call.startsWith('npm publish'))
      .map((call) => call.split(' ').at(-1));
    expect(names).toEqual(published.map(({ name }) => name).filter((name) => CLIENTS.includes(name)));
    expect(names).toContain('@dtplatform/sdk');
  });

  it.each(['sdk', 'cli'])('names the repository in the package of %s, and links to it', (name) => {
    expect(JSON.parse(read(`packages/${name}/package.json`))).toMatchObject({
      repository: { url: `git+${SOURCE}.git`, directory: `packages/${name}` },
      homepage: `${SOURCE}/tree/main/packages/${name}#readme`,
      bugs: `${SOURCE}/issues`,
    });
    const readme = read(`packages/${name}/README.md`);
    expect(readme).toContain(`](${SOURCE}/blob/main/README.md)`);
    expect(readme).not.toMatch(/\]\(\./);
  });

  it(
    'publishes no chart again',
    () => {
      rmSync(path.join(folder, 'calls'));
      const services = published.filter(({ name }) => !CLIENTS.includes(name));
      release({ 'changesets/action': () => ({ publishedPackages: JSON.stringify(services) }) });
      expect(callsOf('helm').filter((call) => call.startsWith('helm push'))).toEqual([]);
    },
    MINUTES,
  );
});
