import path from 'node:path';
import { repoRoot } from '@dtplatform/stack';
import { runTool } from '../tools/run-tool.js';

/** The images that docker/base/build.sh builds. */
export const LOCAL_BASE = {
  BUILD_IMAGE: 'localhost/dtplatform/node-build:24',
  RUN_IMAGE: 'localhost/dtplatform/node:24',
  BASE_IMAGE: 'localhost/dtplatform/debian:bookworm',
};

/** Whether all base images have been built. */
export async function hasLocalBase(env: NodeJS.ProcessEnv, signal: AbortSignal): Promise<boolean> {
  const present = await Promise.all(
    Object.values(LOCAL_BASE).map((image) =>
      runTool('buildah', ['images', '--quiet', image], { env, signal }).then(
        () => true,
        () => false,
      ),
    ),
  );
  return present.every(Boolean);
}

/** Builds the base images from packages, unless they exist. */
export async function buildLocalBase(env: NodeJS.ProcessEnv, signal: AbortSignal): Promise<void> {
  if (await hasLocalBase(env, signal)) return;
  await runTool(path.join(repoRoot, 'docker/base/build.sh'), [], { env, signal });
}
