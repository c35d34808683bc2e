import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { Context } from '../context.js';
import { damaged } from '../failures.js';
import { inParallel } from '../in-parallel.js';
import { listedObjects } from '../store/dump-file.js';
import { ifThere, sha256Of } from '../store/files.js';
import type { ListedObject, Manifest } from '../store/manifest.js';

const LANES = 6;
const REPORT_EVERY = 1_000;

interface Files {
  /** The folder of the backup. */
  dir: string;
  /** The folder of the objects. */
  objects: string;
  manifest: Manifest;
}

/**
 * Compares all files of a backup with their hashes, before anything is written. @throws Rejected with the first damaged
 * one
 */
export async function verifyFiles(files: Files, context: Context): Promise<void> {
  const { dir, manifest } = files;
  for (const { file, sha256 } of [...Object.values(manifest.databases).flat(), manifest.objects]) {
    const found = await ifThere(sha256Of(path.join(dir, file), context.signal));
    if (found !== sha256) throw damaged(file, found === undefined ? 'is missing' : 'was changed');
  }
  await verifyObjects(files, context);
}

async function verifyObjects({ dir, objects, manifest }: Files, { signal, report }: Context): Promise<void> {
  let compared = 0;
  await inParallel(listedObjects(path.join(dir, manifest.objects.file), signal), LANES, async (object) => {
    await verifyObject(path.join(objects, object.key), object, signal);
    compared += 1;
    if (compared % REPORT_EVERY === 0) report(`objects compared: ${compared} of ${manifest.objects.objects}`);
  });
}

async function verifyObject(file: string, { key, size, sha256 }: ListedObject, signal: AbortSignal): Promise<void> {
  if (sha256 === undefined) return;
  const found = await ifThere(stat(file));
  if (!found) throw damaged(`object ${key}`, 'is missing');
  if (found.size < size) throw damaged(`object ${key}`, 'is not complete');
  if ((await sha256Of(file, signal)) !== sha256) throw damaged(`object ${key}`, 'was changed');
}
