import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { cached, cachedDir } from './cached.mjs';
import { run } from './run.mjs';

const helmTools = moduleIn('../', { name: 'go', programs: 'helm, helm-unittest and helm-docs' });

/**
 * promtool is a module of its own, since its dependencies and Helm's could not be updated separately otherwise. Without the
 * service discovery of Prometheus it needs half of the packages. `go mod tidy` fails there; update it with
 * `GOFLAGS=-tags=remove_all_sd go get -tool github.com/prometheus/prometheus/cmd/promtool@VERSION`.
 */
const promtool = moduleIn('../promtool/', {
  name: 'promtool',
  programs: 'promtool',
  options: ['-tags=remove_all_sd'],
});

/** oasdiff is a module of its own, so that checking the API does not build Helm. */
const oasdiff = moduleIn('../oasdiff/', { name: 'oasdiff', programs: 'oasdiff' });

/** helm, helm-unittest and helm-docs in the versions of `tools/go.mod`, independent of the user's Helm configuration. */
export async function getGoTools() {
  const dir = await built(helmTools);
  const env = { HELM_CACHE_HOME: dir, HELM_CONFIG_HOME: dir, HELM_DATA_HOME: dir };
  const program =
    (name) =>
    (...args) =>
      run([join(dir, name), ...args], { env });
  return { helm: program('helm'), helmUnittest: program('helm-unittest'), helmDocs: program('helm-docs') };
}

/** promtool in the version of `tools/promtool/go.mod`. */
export async function getPromtool() {
  const dir = await built(promtool);
  return (...args) => run([join(dir, 'promtool'), ...args]);
}

/** oasdiff in the version of `tools/oasdiff/go.mod`. */
export async function getOasdiff() {
  const dir = await built(oasdiff);
  return (...args) => run([join(dir, 'oasdiff'), ...args]);
}

/** The path of helm, built on first use. */
export const getHelmPath = async () => join(await built(helmTools), 'helm');

/** The path of helm if it has been built. */
export function findHelmPath() {
  const file = join(cachedDir('go', helmTools.sources, ''), 'helm');
  return existsSync(file) ? file : undefined;
}

function moduleIn(folder, { options = [], ...module }) {
  const dir = new URL(folder, import.meta.url).pathname;
  return { ...module, dir, options, sources: ['go.mod', 'go.sum'].map((name) => join(dir, name)) };
}

const built = (module) => cached(module.name, module.sources, '', (dir) => build(module, dir));

async function build({ dir: module, programs, options }, dir) {
  process.stdout.write(`Building ${programs}. This takes a few minutes and happens once.\n`);
  const command = ['go', 'build', '-C', module, '-trimpath', '-ldflags=-s -w', ...options, '-o', `${dir}/`, 'tool'];
  const { code, output } = await run(command).catch((error) => {
    if (error.code !== 'ENOENT') throw error;
    throw new Error('Building Go tools needs Go 1.26 or newer, with `go` on the PATH.');
  });
  if (code !== 0) throw new Error(`${programs} could not be built:\n${output}`);
}
