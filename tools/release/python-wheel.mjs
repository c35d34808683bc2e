/**
 * `npm run build:wheel` of the Python SDK: builds the wheel and the source distribution into its `dist`, or the folder
 * that is passed, and prints the path of the wheel. `npm run build` must have generated the sources.
 */
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { cached } from '../programs/cached.mjs';
import { run } from '../programs/run.mjs';

const root = join(import.meta.dirname, '../../packages/sdk-python');
const requirements = join(import.meta.dirname, 'python-wheel.txt');
const dist = process.argv[2] ?? join(root, 'dist');

const { output: version } = await must(['python3', '-c', 'import sys; print(sys.version_info[:2])']);
const tools = await cached('python-wheel', [requirements], version, install);
rmSync(dist, { recursive: true, force: true });
await must([join(tools, 'bin/python'), '-m', 'build', '--no-isolation', '--outdir', dist, root]);
const wheel = readdirSync(dist).find((name) => name.endsWith('.whl'));
process.stdout.write(`${join(dist, wheel)}\n`);

async function install(dir) {
  await must(['python3', '-m', 'venv', dir]);
  const options = ['--quiet', '--disable-pip-version-check', '--no-deps', '--requirement', requirements];
  await must([join(dir, 'bin/python'), '-m', 'pip', 'install', ...options]);
}

async function must(command) {
  const result = await run(command);
  if (result.code !== 0) throw new Error(`${command.join(' ')} failed:\n${result.output}`);
  return result;
}
