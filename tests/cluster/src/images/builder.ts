import { findOnPath } from '@dtplatform/stack';
import { runTool } from '../tools/run-tool.js';
import { ownPlatform, type Platform } from './platform.js';

interface Build {
  dockerfile: string;
  context: string;
  image: string;
  target?: string;
  platform?: Platform | undefined;
  args: Record<string, string>;
}

/** Docker or Buildah. */
export interface Builder {
  name: string;
  build(build: Build): Promise<void>;
  /** Writes an image as an archive that any container runtime can load. */
  save(image: string, file: string): Promise<void>;
  push(image: string): Promise<void>;
  /** The size of all files of the image, in bytes. */
  size(image: string): Promise<number>;
}

/**
 * The builder named in IMAGE_BUILDER, or else Docker if its engine runs, or else Buildah.
 * @param options `local` images are built by Buildah only: Docker cannot use base images that no registry has
 */
export async function findBuilder(
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
  { local = false } = {},
): Promise<Builder> {
  const wanted = local ? 'buildah' : env.IMAGE_BUILDER;
  if (wanted !== undefined && wanted !== 'docker' && wanted !== 'buildah')
    throw new Error(`IMAGE_BUILDER is "${wanted}": set it to docker or buildah`);
  const run = (command: string, ...args: string[]) => runTool(command, args, { env, signal });
  if (wanted !== 'buildah' && findOnPath('docker', env)) {
    const engine = await run('docker', 'info').catch((error: unknown) => error as Error);
    if (!(engine instanceof Error)) return docker(run);
    if (wanted === 'docker') throw new Error(`the Docker engine does not respond: ${engine.message}`);
  }
  if (wanted !== 'docker' && findOnPath('buildah', env)) return buildah(run);
  throw new Error(local ? 'put buildah on the PATH, which --local needs' : 'start Docker, or put buildah on the PATH');
}

type Run = (command: string, ...args: string[]) => Promise<string>;

const buildFlags = ({ dockerfile, image, target, platform, args }: Build): string[] => [
  ...['--file', dockerfile, '--tag', image],
  ...(target === undefined ? [] : ['--target', target]),
  ...(platform === undefined ? [] : ['--platform', platform]),
  ...Object.entries(args).flatMap(([name, value]) => ['--build-arg', `${name}=${value}`]),
];

const docker = (run: Run): Builder => ({
  name: 'docker',
  build: async (build) => void (await run('docker', 'build', ...buildFlags(build), build.context)),
  save: async (image, file) => void (await run('docker', 'save', '--output', file, image)),
  push: async (image) => void (await run('docker', 'push', image)),
  size: async (image) => Number(await run('docker', 'image', 'inspect', '--format', '{{.Size}}', image)),
});

/** Buildah's default of 1024 open files is too low for npm. */
const OPEN_FILES = ['--ulimit', 'nofile=16384:16384'];

/** Old versions of Buildah do not set it. */
const buildPlatform = ({ platform }: Build): string[] =>
  platform === undefined ? [] : ['--build-arg', `BUILDPLATFORM=${ownPlatform()}`];

const buildah = (run: Run): Builder => ({
  name: 'buildah',
  build: async (build) => {
    const flags = [...OPEN_FILES, ...buildPlatform(build), ...buildFlags(build)];
    await run('buildah', 'build', '--layers', ...flags, build.context);
  },
  save: async (image, file) => void (await run('buildah', 'push', '--quiet', image, `docker-archive:${file}:${image}`)),
  push: async (image) => void (await run('buildah', 'push', '--quiet', image)),
  size: async (image) => {
    const images = JSON.parse(await run('buildah', 'images', '--json', image)) as { size: string }[];
    return megabytes(images[0]!.size);
  },
});

/** Buildah prints sizes as `205 MB`. */
function megabytes(text: string): number {
  const [, digits, unit] = /^([\d.]+) (KB|MB|GB)$/.exec(text) ?? [];
  const factor = { KB: 1e3, MB: 1e6, GB: 1e9 }[unit ?? ''];
  if (factor === undefined) throw new Error(`buildah printed an unknown size: "${text}"`);
  return Number(digits) * factor;
}
