import path from 'node:path';
import { repoRoot } from '@dtplatform/stack';
import { runTool } from '../tools/run-tool.js';
import { architectureOf, type Platform } from './platform.js';

/** The images that docker/base/build.sh builds. */
export const LOCAL_BASE = {
  BUILD_IMAGE: 'localhost/dtplatform/node-build:24',
  RUN_IMAGE: 'localhost/dtplatform/node:24',
  BASE_IMAGE: 'localhost/dtplatform/debian:bookworm',
};

/** The images on which an image for this platform is built. */
export const localBaseFor = (platform: Platform | undefined): typeof LOCAL_BASE =>
  platform === undefined
    ? LOCAL_BASE
    : { ...LOCAL_BASE, RUN_IMAGE: `${LOCAL_BASE.RUN_IMAGE}-${architectureOf(platform)}` };

/** Whether all base images have been built. */
export async function hasLocalBase(
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
  images = Object.values(LOCAL_BASE),
): Promise<boolean> {
  const present = await Promise.all(
    images.map((image) =>
      runTool('buildah', ['images', '--quiet', image], { env, signal }).then(
        () => true,
        () => false,
      ),
    ),
  );
  return present.every(Boolean);
}

/** Builds the base images from packages, unless they exist. */
export async function buildLocalBase(env: NodeJS.ProcessEnv, signal: AbortSignal, platform?: Platform): Promise<void> {
  const build = (...args: string[]) => runTool(path.join(repoRoot, 'docker/base/build.sh'), args, { env, signal });
  if (!(await hasLocalBase(env, signal))) await build();
  if (platform === undefined || (await hasLocalBase(env, signal, [localBaseFor(platform).RUN_IMAGE]))) return;
  await build(architectureOf(platform));
}
