import path from 'node:path';
import { repoRoot } from '@dtplatform/stack';
import { runTool } from '../tools/run-tool.js';

/** What docker/base/build.sh makes. */
export const LOCAL_BASE = {
  BUILD_IMAGE: 'localhost/dtplatform/node-build:24',
  RUN_IMAGE: 'localhost/dtplatform/node:24',
  BASE_IMAGE: 'localhost/dtplatform/debian:bookworm',
};

/** Builds the base images from packages, unless they are there. */
export async function buildLocalBase(env: NodeJS.ProcessEnv, signal: AbortSignal): Promise<void> {
  const present = await Promise.all(
    Object.values(LOCAL_BASE).map((image) =>
      runTool('buildah', ['images', '--quiet', image], { env, signal }).then(
        () => true,
        () => false,
      ),
    ),
  );
  if (present.every(Boolean)) return;
  await runTool(path.join(repoRoot, 'docker/base/build.sh'), [], { env, signal });
}
