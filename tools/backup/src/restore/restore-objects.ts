import { createReadStream } from 'node:fs';
import path from 'node:path';
import type { ObjectStore } from '@dtplatform/object-store';
import type { Context } from '../context.js';
import { damaged } from '../failures.js';
import { inParallel } from '../in-parallel.js';
import { listedObjects } from '../store/dump-file.js';
import { createMeter } from '../store/files.js';
import type { ListedObject, Manifest } from '../store/manifest.js';

const LANES = 6;
const REPORT_EVERY = 1_000;

interface Deps extends Context {
  bucket: ObjectStore;
  /** The folder of the objects. */
  folder: string;
}

export interface RestoredObjects {
  objects: number;
  objectBytes: number;
  /** Objects that were in the bucket already, with the same size: objects never change. */
  keptObjects: number;
  missingObjects: number;
}

/** Stores the listed objects whose content has the recorded hash. @throws Rejected for a damaged one */
export async function restoreObjects(
  { bucket, folder, signal, report }: Deps,
  dir: string,
  { objects: list }: Manifest,
): Promise<RestoredObjects> {
  const done: RestoredObjects = { objects: 0, objectBytes: 0, keptObjects: 0, missingObjects: 0 };
  await inParallel(listedObjects(path.join(dir, list.file), signal), LANES, async (object) => {
    if (object.sha256 === undefined) {
      done.missingObjects += 1;
      report(`MISSING: object ${object.key} was missing when the backup was made`);
      return;
    }
    const isThere = (await bucket.head(object.key, { signal }))?.size === object.size;
    if (isThere) done.keptObjects += 1;
    else await store(bucket, path.join(folder, object.key), object, signal);
    done.objects += 1;
    done.objectBytes += object.size;
    if (done.objects % REPORT_EVERY === 0) report(`objects: ${done.objects} of ${list.objects}`);
  });
  const listed = done.objects + done.missingObjects;
  if (listed !== list.objects) throw new Error(`${listed} objects are listed, and the manifest says ${list.objects}`);
  return done;
}

async function store(bucket: ObjectStore, file: string, object: ListedObject, signal: AbortSignal): Promise<void> {
  const { key, size, sha256, contentType, contentEncoding } = object;
  const meter = createMeter();
  const content = createReadStream(file, { signal });
  content.on('error', (error) => meter.destroy(error));
  await bucket.putStream(key, content.pipe(meter), {
    ...{ contentType, contentEncoding, signal },
    expectedBytes: size,
    caller: 'restore',
    maxBytes: size,
    verify: ({ end, total }) => {
      if (end !== 'complete' || total !== size || meter.written().sha256 !== sha256)
        throw damaged(`object ${key}`, size === total ? 'was changed' : 'is not complete');
    },
    onMultipart: () => Promise.resolve(),
  });
}
