import { join } from 'node:path';
import { run } from '../run.mjs';
import { cached } from './cached.mjs';

const module = new URL('../../', import.meta.url).pathname;

/** helm, helm-unittest and helm-docs, built from the versions in `tools/go.mod`. */
export async function getGoTools() {
  const files = ['go.mod', 'go.sum'].map((name) => join(module, name));
  const dir = await cached('go', files, '', build);
  // Nothing of what the user has set up for helm counts here.
  const env = { HELM_CACHE_HOME: dir, HELM_CONFIG_HOME: dir, HELM_DATA_HOME: dir };
  const program =
    (name) =>
    (...args) =>
      run([join(dir, name), ...args], { env });
  return { helm: program('helm'), helmUnittest: program('helm-unittest'), helmDocs: program('helm-docs') };
}

async function build(dir) {
  process.stdout.write('Building helm, helm-unittest and helm-docs, once; this takes minutes.\n');
  const command = ['go', 'build', '-C', module, '-trimpath', '-ldflags=-s -w', '-o', `${dir}/`, 'tool'];
  const { code, output } = await run(command).catch((error) => {
    if (error.code !== 'ENOENT') throw error;
    throw new Error('The chart tools are built with Go: install Go 1.26 or newer so that `go` is on the PATH.');
  });
  if (code !== 0) throw new Error(`The chart tools could not be built:\n${output}`);
}
