import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';

const STALE_AFTER_MS = 24 * 3600 * 1000;

/** Where packages of all clones of this user are kept. */
export const defaultCacheDir = (env: NodeJS.ProcessEnv): string =>
  path.join(env.XDG_CACHE_HOME || path.join(env.HOME || homedir(), '.cache'), 'dtplatform', 'backends');

export const isThere = (file: string): Promise<boolean> =>
  stat(file).then(
    () => true,
    () => false,
  );

/**
 * Makes `<cacheDir>/<name>` by `build` unless it is there. It is built beside and then renamed: it is there as a whole
 * or not at all, and of two clones that build it at once the second one's result is dropped.
 */
export async function cached(cacheDir: string, name: string, build: (dir: string) => Promise<void>): Promise<string> {
  const dir = path.join(cacheDir, name);
  if (await isThere(dir)) return dir;
  await sweepStale(cacheDir);
  const draft = path.join(cacheDir, `tmp-${name}-${randomUUID()}`);
  await mkdir(draft, { recursive: true });
  try {
    await build(draft);
    await rename(draft, dir).catch(async (error: unknown) => {
      if (!(await isThere(dir))) throw error;
    });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  return dir;
}

/** Drafts of builds that were killed. */
async function sweepStale(cacheDir: string): Promise<void> {
  const drafts = (await readdir(cacheDir).catch(() => [])).filter((name) => name.startsWith('tmp-'));
  for (const draft of drafts.map((name) => path.join(cacheDir, name))) {
    const age = Date.now() - (await stat(draft)).mtimeMs;
    if (age > STALE_AFTER_MS) await rm(draft, { recursive: true, force: true });
  }
}
