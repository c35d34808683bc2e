import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { installPythonTools } from '@dtplatform/testing';
import { repositoryFile } from './repository.js';

const DIST = repositoryFile('packages/sdk-python/dist');

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

export type PythonSdk = Awaited<ReturnType<typeof installPythonSdk>>;

/** Installs the wheel of the Python SDK into a new environment. */
export async function installPythonSdk() {
  const tools = await installPythonTools(
    'sdk-python',
    'tools',
    repositoryFile('tests/e2e/sdk-python/requirements.txt'),
  );
  const folder = await mkdtemp(path.join(tmpdir(), 'dtplatform-python-'));
  const wheel = (await readdir(DIST)).find((name) => name.endsWith('.whl'))!;
  const { code, output } = await tools(['-c', INSTALL, folder, path.join(DIST, wheel)]);
  if (code !== 0) throw new Error(output);
  const python = path.join(folder, 'bin/python');
  return {
    python,
    tools,
    /** The errors of mypy in files, or in a package (`-p`), for users of the installed package; empty if there are none. */
    async typeErrorsOf(...checked: string[]): Promise<string> {
      const options = ['--strict', '--python-version', '3.10', '--python-executable', python];
      const cache = ['--cache-dir', path.join(folder, 'mypy')];
      const { code, output } = await tools(['-m', 'mypy', ...options, ...cache, ...checked]);
      return code === 0 && output.startsWith('Success') ? '' : output;
    },
    stop: () => rm(folder, { recursive: true }),
  };
}
