import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { backendPrograms, repoRoot, type Report } from '@dtplatform/stack';
import { LOCAL_BASE } from './base-images.js';
import type { Builder } from './builder.js';

export const DEV_BACKENDS = ['mongodb', 'redis', 's3', 'gateway'] as const;

/** The same in both versions, so that an upgrade does not restart the backends. */
export const DEV_TAG = 'dev';

/** The images for charts/dev-backends (`dtplatform/dev-mongodb`, …), built from the packages that `npm start` uses. */
export const devBackendImages = (registry: string) =>
  DEV_BACKENDS.map((target) => ({ target, image: `${registry}/dtplatform/dev-${target}:${DEV_TAG}` }));

export async function buildDevBackends(
  builder: Builder,
  images: ReturnType<typeof devBackendImages>,
  context: { env: NodeJS.ProcessEnv; signal: AbortSignal; report: Report },
): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), 'dtplatform-images-'));
  try {
    for (const program of await backendPrograms(context))
      await copyFile(program, path.join(folder, path.basename(program)));
    const dockerfile = path.join(repoRoot, 'docker/dev-backends.Dockerfile');
    for (const { target, image } of images)
      await builder.build({ dockerfile, context: folder, image, target, args: { BASE_IMAGE: LOCAL_BASE.BASE_IMAGE } });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
