import { opendir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Context } from '../context.js';
import type { Folder } from '../store/folder.js';
import type { Manifest } from '../store/manifest.js';

/** Storage such as FAT rounds file times down, to two seconds. */
const ROUNDED_MS = 2_000;

/**
 * Removes all but the latest backups, and objects that only they reference. Removes nothing if these cannot be
 * determined.
 * @returns the number of removed backups
 */
export async function removeOlder(folder: Folder, keep: number, { report }: Pick<Context, 'report'>): Promise<number> {
  const names = await folder.names();
  const old = names.slice(0, -keep);
  if (old.length === 0) return 0;
  let oldest: Manifest;
  try {
    oldest = await folder.manifest(names[old.length]!);
  } catch (error) {
    report(`WARNING: older backups are kept: ${(error as Error).message}`);
    return 0;
  }
  for (const name of old) await folder.remove(name);
  await removeUnnamed(folder.objects, Date.parse(oldest.startedAt) - ROUNDED_MS);
  return old.length;
}

/** Each backup marks the objects it references with its start time. @param before in milliseconds since 1970 */
async function removeUnnamed(objects: string, before: number): Promise<void> {
  for (const kind of ['versions', 'previews']) {
    for await (const { name } of await opendir(path.join(objects, kind))) {
      if (name.endsWith('.json')) continue;
      const file = path.join(objects, kind, name);
      const { mtimeMs } = await stat(`${file}.json`).catch(() => stat(file));
      if (mtimeMs >= before) continue;
      // In this order: without its record, the content does not count as an object.
      await rm(`${file}.json`, { force: true });
      await rm(file);
    }
  }
}
