import { join } from 'node:path';
import { cached } from '../../programs/cached.mjs';
import { run } from '../../programs/run.mjs';

const folder = new URL('./', import.meta.url).pathname;
const requirements = join(folder, 'requirements.txt');

/** Runs the scripts of this folder with kubernetes-validate and checkov, in the versions of `requirements.txt`. */
export async function getPython() {
  const version = await pythonVersion();
  const dir = await cached('python', [requirements], version, install);
  return (script, ...args) => run([join(dir, 'bin/python'), join(folder, script), ...args]);
}

async function pythonVersion() {
  const command = ['python3', '-c', 'import sys; print("%d.%d" % sys.version_info[:2])'];
  const { stdout = '' } = await run(command).catch((error) => {
    if (error.code !== 'ENOENT') throw error;
    return {};
  });
  const [major, minor] = stdout.trim().split('.').map(Number);
  if (major === 3 && minor >= 11) return stdout.trim();
  throw new Error('The chart checks need Python: install Python 3.11 or newer, with `python3` on the PATH.');
}

async function install(dir) {
  process.stdout.write('Installing kubernetes-validate and checkov. This takes a minute or two and happens once.\n');
  await must(['python3', '-m', 'venv', dir]);
  const options = ['--quiet', '--disable-pip-version-check', '--no-deps', '--requirement', requirements];
  await must([join(dir, 'bin/python'), '-m', 'pip', 'install', ...options]);
}

async function must(command) {
  const { code, output } = await run(command);
  if (code !== 0) throw new Error(`\`${command.join(' ')}\` failed:\n${output}`);
}
