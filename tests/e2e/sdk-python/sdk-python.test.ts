import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { registerApp } from '../cli/support.js';
import { blocksOf } from '../support/guide.js';
import { enter, openWorkspace } from '../support/people.js';
import { dev } from '../support/platform.js';
import { installPythonSdk } from '../support/python.js';
import type { PythonSdk } from '../support/python.js';
import { repositoryFile } from '../support/repository.js';
import { createOrchestrator, uploadFile } from '../support/resources.js';
import { createDesk, runInPython } from '../support/run-snippets.js';
import { startOutside } from './outside.js';

const MINUTES = 60_000;
const HERE = fileURLToPath(new URL('.', import.meta.url));
const PACKAGE = repositoryFile('packages/sdk-python');
const RUN = 'import os, sys; os.execv(sys.argv[1], sys.argv[1:])';

describe('the Python SDK', () => {
  let sdk: PythonSdk;
  let outside: Awaited<ReturnType<typeof startOutside>>;

  beforeAll(async () => {
    sdk = await installPythonSdk();
    outside = await startOutside();
  }, 3 * MINUTES);
  afterAll(async () => {
    await outside.stop();
    await sdk.stop();
  });

  it(
    'works with the running platform, installed from its wheel',
    async () => {
      const pytest = [sdk.python, '-m', 'pytest', '-q', '-p', 'no:cacheprovider', HERE];
      const { code, output } = await sdk.tools(['-c', RUN, ...pytest], {
        ...outside.env,
        PYTHONDONTWRITEBYTECODE: '1',
      });
      expect(code === 0 ? '' : output).toBe('');
      const passed = /^(\d+) passed in /m.exec(output)?.[1];
      expect(Number(passed)).toBeGreaterThan(20);
    },
    3 * MINUTES,
  );

  it('shows programs that work in its README', async () => {
    const desk = await createDesk();
    const owner = await enter();
    const namespace = await openWorkspace(owner);
    const examples = {
      'https://twins.example.com': dev.baseUrl,
      tower_1: namespace,
      'my-app': await registerApp(`http://localhost:${desk.port}/callback`),
      '66f0c0de0000000000000004': await uploadFile(owner, namespace),
      '66f0c0de0000000000000007': await createOrchestrator(owner, namespace),
    };
    await writeFile(desk.file('model.ifc'), 'ISO-10303-21;');
    const code = blocksOf('packages/sdk-python/README.md', 'python').map(({ text }) =>
      Object.entries(examples).reduce((program, [example, real]) => program.replaceAll(example, real), text),
    );
    const browser = 'import webbrowser\nwebbrowser.open = lambda url: print(url + " ")';
    const env = { APP_ID: dev.appId, APP_SECRET: dev.appSecret };
    const outputs = await runInPython(sdk.python, desk, [browser, ...code], { user: owner, env });
    expect(outputs.length).toBe(1 + code.length);
    await desk.stop();
  });

  it('is served as a package by the platform', async () => {
    const page = await (await fetch(`${dev.baseUrl}/docs/packages/`)).text();
    const [wheel] = /\/packages\/dtplatform-[\d.]+-py3-none-any\.whl/.exec(page)!;
    const served = await fetch(`${dev.baseUrl}${wheel}`);
    expect(served.status).toBe(200);
    const built = await readFile(path.join(PACKAGE, 'dist', path.basename(wheel)));
    expect(Buffer.from(await served.arrayBuffer()).equals(built)).toBe(true);
  });

  it('is typed, and so are programs that use it', async () => {
    expect(await sdk.typeErrorsOf('-p', 'dtplatform')).toBe('');
    expect(await sdk.typeErrorsOf(HERE)).toBe('');
  });

  it('follows the rules of its linter', async () => {
    const options = ['--quiet', '--no-cache', '--config', `${PACKAGE}/pyproject.toml`, PACKAGE, HERE];
    const check = await sdk.tools(['-m', 'ruff', 'check', ...options]);
    const format = await sdk.tools(['-m', 'ruff', 'format', '--check', ...options]);
    expect([check, format]).toEqual(Array(2).fill({ code: 0, output: '' }));
  });
});
