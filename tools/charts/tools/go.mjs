import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../run.mjs';
import { cached, cachedDir } from './cached.mjs';

const module = new URL('../../', import.meta.url).pathname;
const sources = ['go.mod', 'go.sum'].map((name) => join(module, name));

/** helm, helm-unittest and helm-docs in the versions of `tools/go.mod`, independent of the user's Helm configuration. */
export async function getGoTools() {
  const dir = await cached('go', sources, '', build);
  const env = { HELM_CACHE_HOME: dir, HELM_CONFIG_HOME: dir, HELM_DATA_HOME: dir };
  const program =
    (name) =>
    (...args) =>
      run([join(dir, name), ...args], { env });
  return { helm: program('helm'), helmUnittest: program('helm-unittest'), helmDocs: program('helm-docs') };
}

/** The path of helm, built on first use. */
export const getHelmPath = async () => join(await cached('go', sources, '', build), 'helm');

/** The path of helm if it has been built. */
export function findHelmPath() {
  const file = join(cachedDir('go', sources, ''), 'helm');
  return existsSync(file) ? file : undefined;
}

async function build(dir) {
  process.stdout.write('Building helm, helm-unittest and helm-docs. This takes a few minutes and happens once.\n');
  const command = ['go', 'build', '-C', module, '-trimpath', '-ldflags=-s -w', '-o', `${dir}/`, 'tool'];
  const { code, output } = await run(command).catch((error) => {
    if (error.code !== 'ENOENT') throw error;
    throw new Error('Building the chart tools needs Go 1.26 or newer, with `go` on the PATH.');
  });
  if (code !== 0) throw new Error(`The chart tools could not be built:\n${output}`);
}
