import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';

const STALE_AFTER_MS = 24 * 3600 * 1000;

/** Shared by all clones of this user. */
export const defaultCacheDir = (env: NodeJS.ProcessEnv): string =>
  path.join(env.XDG_CACHE_HOME || path.join(env.HOME || homedir(), '.cache'), 'dtplatform', 'backends');

/**
 * Creates `<cacheDir>/<name>` with `build` unless it exists. Atomic: a build is renamed into place when complete; of
 * two concurrent builds, the second result is discarded.
 */
export async function cached(cacheDir: string, name: string, build: (dir: string) => Promise<void>): Promise<string> {
  const dir = path.join(cacheDir, name);
  if (existsSync(dir)) return dir;
  await sweepStale(cacheDir);
  const draft = path.join(cacheDir, `tmp-${name}-${randomUUID()}`);
  await mkdir(draft, { recursive: true });
  try {
    await build(draft);
    await rename(draft, dir).catch((error: unknown) => {
      if (!existsSync(dir)) throw error;
    });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  return dir;
}

/** Removes the drafts of killed builds. */
async function sweepStale(cacheDir: string): Promise<void> {
  const drafts = (await readdir(cacheDir).catch(() => [])).filter((name) => name.startsWith('tmp-'));
  for (const draft of drafts.map((name) => path.join(cacheDir, name))) {
    const age = Date.now() - (await stat(draft)).mtimeMs;
    if (age > STALE_AFTER_MS) await rm(draft, { recursive: true, force: true });
  }
}
