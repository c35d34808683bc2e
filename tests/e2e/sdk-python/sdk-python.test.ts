import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { installPythonTools } from '@dtplatform/testing';
import { repositoryFile } from '../support/repository.js';
import { startOutside } from './outside.js';

const MINUTES = 60_000;
const HERE = fileURLToPath(new URL('.', import.meta.url));
const PACKAGE = repositoryFile('packages/sdk-python');
const WORKING = 12;

/** A new environment with the wheel. Its dependencies, which pip verifies, are those of the tools. */
const INSTALL = `
import pathlib, subprocess, sys, sysconfig, venv
fresh, wheel = sys.argv[1:]
venv.create(fresh)
python = fresh + '/bin/python'
packages = subprocess.check_output([python, '-c', 'import sysconfig; print(sysconfig.get_path("purelib"))'], text=True)
pathlib.Path(packages.strip(), 'tools.pth').write_text(sysconfig.get_path('purelib'))
subprocess.check_call([sys.executable, '-m', 'pip', '--python', python, 'install', '--quiet', '--no-index', wheel])
`;
const RUN = 'import os, sys; os.execv(sys.argv[1], sys.argv[1:])';

describe('the Python SDK', () => {
  let folder: string;
  let tools: Awaited<ReturnType<typeof installPythonTools>>;
  let outside: Awaited<ReturnType<typeof startOutside>>;

  beforeAll(async () => {
    tools = await installPythonTools('sdk-python', 'tools', path.join(HERE, 'requirements.txt'));
    folder = await mkdtemp(path.join(tmpdir(), 'dtplatform-python-'));
    const build = [repositoryFile('tools/release/python-wheel.mjs')];
    const { stdout: wheel } = await promisify(execFile)(process.execPath, build);
    expect(await tools(['-c', INSTALL, folder, wheel.trim()])).toEqual({ code: 0, output: '' });
    outside = await startOutside();
  }, 3 * MINUTES);
  afterAll(async () => {
    await outside.stop();
    await rm(folder, { recursive: true });
  });

  it(
    'works with the running platform, installed from its wheel',
    async () => {
      const command = [path.join(folder, 'bin/python'), '-m', 'pytest', '-q', '-p', 'no:cacheprovider', HERE];
      const { code, output } = await tools(['-c', RUN, ...command], { ...outside.env, PYTHONDONTWRITEBYTECODE: '1' });
      expect(code === 0 ? '' : output).toBe('');
      const [, passed] = /^(\d+) passed in /m.exec(output) ?? [];
      expect(Number(passed)).toBeGreaterThan(WORKING);
    },
    3 * MINUTES,
  );

  it(
    'is typed, and so are programs that use it',
    async () => {
      const installed = ['--python-executable', path.join(folder, 'bin/python')];
      const options = ['--strict', '--cache-dir', path.join(folder, 'mypy'), ...installed];
      for (const checked of [['-p', 'dtplatform'], [HERE]]) {
        const { output } = await tools(['-m', 'mypy', ...options, ...checked], { MYPYPATH: HERE });
        expect(output).toMatch(/^Success: no issues found in \d+ source files\n$/);
      }
    },
    2 * MINUTES,
  );

  it('follows the rules of its linter', async () => {
    const options = ['--no-cache', '--config', path.join(PACKAGE, 'pyproject.toml')];
    const check = await tools(['-m', 'ruff', 'check', '--quiet', ...options, PACKAGE, HERE]);
    const format = await tools(['-m', 'ruff', 'format', '--quiet', '--check', ...options, PACKAGE, HERE]);
    expect([check, format]).toEqual(Array(2).fill({ code: 0, output: '' }));
  });
});
