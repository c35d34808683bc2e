import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { cached, cachedDir } from './cached.mjs';
import { run } from './run.mjs';

const here = new URL('../', import.meta.url).pathname;

/** One module, since helm-unittest renders with the Helm that it is built with. */
const HELM = ['go', ['go.mod', 'go.sum'].map((name) => join(here, name)), ''];

/** Go verifies each module against its public checksum database; the module itself pins its dependencies. */
const SOURCES = {
  // Service discovery is half of the packages of Prometheus.
  promtool: ['-tags=remove_all_sd', 'github.com/prometheus/prometheus/cmd/promtool@v0.316.0'],
  oasdiff: ['github.com/oasdiff/oasdiff@v1.36.0'],
  registry: ['github.com/google/go-containerregistry/cmd/registry@v0.20.6'],
};

/** helm, helm-unittest and helm-docs in the versions of `tools/go.mod`, independent of the user's Helm configuration. */
export async function getGoTools() {
  const dir = await helmDir();
  const env = { HELM_CACHE_HOME: dir, HELM_CONFIG_HOME: dir, HELM_DATA_HOME: dir };
  const helmProgram = (name) => program(join(dir, name), env);
  return { helm: helmProgram('helm'), helmUnittest: helmProgram('helm-unittest'), helmDocs: helmProgram('helm-docs') };
}

export const getPromtool = async () => program(await pathOf('promtool'));
export const getOasdiff = async () => program(await pathOf('oasdiff'));

/**
 * The path of a registry of images and charts that keeps them in memory.
 * @public used by a test
 */
export const getRegistryPath = () => pathOf('registry');

/** The path of helm, built on first use. */
export const getHelmPath = async () => join(await helmDir(), 'helm');

/** The path of helm if it has been built. */
export function findHelmPath() {
  const file = join(cachedDir(...HELM), 'helm');
  return existsSync(file) ? file : undefined;
}

const program =
  (file, env) =>
  (...args) =>
    run([file, ...args], { env });

const helmDir = () =>
  cached(...HELM, (dir) =>
    build('helm, helm-unittest and helm-docs', ['build', '-C', here, '-o', `${dir}/`], ['tool']),
  );

/** The path of a program, built on first use. */
async function pathOf(name) {
  const source = SOURCES[name];
  return join(await cached(name, [], source.join(), (dir) => build(name, ['install'], source, { GOBIN: dir })), name);
}

async function build(programs, command, source, env) {
  process.stdout.write(`Building ${programs}. This takes a few minutes and happens once.\n`);
  const { code, output } = await run(['go', ...command, '-trimpath', '-ldflags=-s -w', ...source], { env }).catch(
    (error) => {
      if (error.code !== 'ENOENT') throw error;
      throw new Error('Building Go tools needs Go 1.26 or newer, with `go` on the PATH.');
    },
  );
  if (code !== 0) throw new Error(`${programs} could not be built:\n${output}`);
}
