import path from 'node:path';
import { Refused } from '../failures.js';
import { isFileMissing, sha256Of } from '../store/files.js';
import type { Manifest } from '../store/manifest.js';

/** Compares dumps and list with the manifest, before anything is written. @throws Refused naming the first damaged file */
export async function verifyFiles(dir: string, { databases, objects }: Manifest, signal: AbortSignal): Promise<void> {
  for (const { file, sha256 } of [...Object.values(databases).flat(), objects]) {
    const found = await sha256Of(path.join(dir, file), signal).catch((error: unknown) => {
      if (!isFileMissing(error)) throw error;
    });
    if (found !== sha256)
      throw new Refused(`the backup is damaged: ${file} ${found === undefined ? 'is missing' : 'was changed'}`);
  }
}
