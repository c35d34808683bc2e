import { createHash, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, join } from 'node:path';

const STALE_AFTER_MS = 24 * 3600 * 1000;

const cacheDir = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'dtplatform', 'chart-tools');

/**
 * The folder that `build` fills, rebuilt only when one of `files` or `more` changes. `build` writes to a temporary
 * folder that is renamed at the end, so an interrupted build leaves nothing behind.
 */
export async function cached(name, files, more, build) {
  const dir = cachedDir(name, files, more);
  if (existsSync(dir)) return dir;

  const draft = join(cacheDir, `tmp-${randomUUID()}`);
  mkdirSync(draft, { recursive: true });
  removeStale();
  try {
    await build(draft);
    if (!existsSync(dir)) renameSync(draft, dir);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
  return dir;
}

export function cachedDir(name, files, more) {
  const hash = createHash('sha256').update(`${process.platform} ${process.arch} ${more}`);
  for (const file of files) hash.update(readFileSync(file));
  return join(cacheDir, `${name}-${hash.digest('hex').slice(0, 16)}`);
}

/** Removes the temporary folders of killed runs. */
function removeStale() {
  for (const dir of readdirSync(cacheDir).map((name) => join(cacheDir, name)))
    if (basename(dir).startsWith('tmp-') && Date.now() - statSync(dir).mtimeMs > STALE_AFTER_MS)
      rmSync(dir, { recursive: true, force: true });
}
