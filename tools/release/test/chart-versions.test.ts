import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';

const repository = path.resolve(import.meta.dirname, '../../..');
const program = path.join(repository, 'tools/release/chart-versions.mjs');
const chart = (...lines: string[]) =>
  ['apiVersion: v2', 'version: 1.2.3', 'appVersion: 1.2.3', ...lines, ''].join('\n');

let root: string;
const write = (file: string, text: string) => {
  mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
  writeFileSync(path.join(root, file), text);
};
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');
const release = (service: string, version: string) =>
  write(`services/${service}/package.json`, JSON.stringify({ version }));
const releaseTool = (tool: string, version: string) => write(`tools/${tool}/package.json`, JSON.stringify({ version }));
const run = () => spawnSync(process.execPath, [program, root], { encoding: 'utf8' });

beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'dtplatform-release-'));
  const names = ['passportsvc', 'filesvc'];
  for (const name of names) release(name, '1.2.3');
  for (const name of [...names, 'dev-backends']) write(`charts/${name}/Chart.yaml`, chart());
  const dependencies = names.flatMap((name) => [`  - name: ${name}`, '    version: 1.2.3']);
  for (const tool of ['backup', 'site']) releaseTool(tool, '1.2.3');
  const annotations = ['annotations:', '  dtplatform/backup: 1.2.3', '  dtplatform/site: 1.2.3'];
  write('charts/platform/Chart.yaml', chart(...annotations, 'dependencies:', ...dependencies));
});
afterEach(() => rmSync(root, { recursive: true }));

test.each([
  ['a service without a chart', 'newsvc', '1.0.0', 'charts/newsvc/Chart.yaml'],
  ['a pre-release version', 'filesvc', '2.0.0-rc.1', 'services/filesvc: 2.0.0-rc.1 is not a version like 1.2.3'],
])('chart versions are not written for %s', (_what, service, version, problem) => {
  release(service, version);
  expect(run()).toMatchObject({ status: 1, stderr: expect.stringContaining(problem) });
});

describe('a new package version', () => {
  test.each([
    ['1.2.4', '1.2.4'],
    ['1.3.0', '1.3.0'],
    ['2.0.0', '2.0.0'],
    ['1.2.10', '1.2.4'],
  ])('of %s becomes the version of its chart, and %s that of the umbrella', (version, umbrella) => {
    release('filesvc', version);
    expect(run()).toMatchObject({ status: 0, stderr: '' });
    expect(read('charts/filesvc/Chart.yaml')).toContain(`\nversion: ${version}\nappVersion: ${version}\n`);
    expect(read('charts/passportsvc/Chart.yaml')).toBe(chart());
    expect(read('charts/platform/Chart.yaml')).toContain(`\nversion: ${umbrella}\nappVersion: ${umbrella}\n`);
    expect(read('charts/platform/Chart.yaml')).toContain(`- name: filesvc\n    version: ${version}\n`);
    expect(read('charts/platform/Chart.yaml')).toContain('- name: passportsvc\n    version: 1.2.3\n');
  });

  test.each(['backup', 'site'])('of tools/%s is named in the umbrella, whose version rises', (tool) => {
    releaseTool(tool, '1.3.0');
    expect(run()).toMatchObject({ status: 0, stderr: '' });
    expect(read('charts/platform/Chart.yaml')).toContain(`\n  dtplatform/${tool}: 1.3.0\n`);
    expect(read('charts/platform/Chart.yaml')).toContain('\nversion: 1.3.0\n');
    expect(read('charts/filesvc/Chart.yaml')).toBe(chart());
  });

  test('raises the umbrella by the largest change', () => {
    release('filesvc', '1.2.4');
    release('passportsvc', '1.3.0');
    run();
    expect(read('charts/platform/Chart.yaml')).toContain('\nversion: 1.3.0\n');
  });

  test('of passportsvc becomes that of the development backends, which use its image', () => {
    release('passportsvc', '1.2.4');
    run();
    expect(read('charts/dev-backends/Chart.yaml')).toContain('\nversion: 1.2.4\nappVersion: 1.2.4\n');
  });
});

test('charts of this repository have the versions of its packages', () => {
  const charts = readdirSync(path.join(repository, 'charts'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => `charts/${name}/Chart.yaml`);
  const manifests = readdirSync(path.join(repository, 'services')).map((name) => `services/${name}/package.json`);
  manifests.push('tools/backup/package.json', 'tools/site/package.json');
  for (const file of [...charts, ...manifests]) cpSync(path.join(repository, file), path.join(root, file));
  expect(run()).toMatchObject({ status: 0, stderr: '' });
  for (const file of charts) expect(read(file)).toBe(readFileSync(path.join(repository, file), 'utf8'));
});
