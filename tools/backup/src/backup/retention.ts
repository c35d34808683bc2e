import { opendir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Folder } from '../store/folder.js';

/** Removes all but the latest backups, and the objects that only they named. @returns how many backups there were */
export async function removeOlder(folder: Folder, keep: number): Promise<number> {
  const names = await folder.names();
  const old = names.slice(0, -keep);
  for (const name of old) await folder.remove(name);
  if (old.length > 0) {
    const { startedAt } = await folder.manifest(names[old.length]!);
    await removeUnnamed(folder.objects, new Date(startedAt));
  }
  return old.length;
}

/** Each backup marks what it names with its own time. */
async function removeUnnamed(objects: string, oldest: Date): Promise<void> {
  for (const kind of ['versions', 'previews']) {
    for await (const { name } of await opendir(path.join(objects, kind))) {
      if (name.endsWith('.json')) continue;
      const file = path.join(objects, kind, name);
      const { mtime } = await stat(`${file}.json`).catch(() => stat(file));
      if (mtime >= oldest) continue;
      // In this order: without its record, the content is no object.
      await rm(`${file}.json`, { force: true });
      await rm(file);
    }
  }
}
