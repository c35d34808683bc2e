import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import path from 'node:path';
import { finished } from 'node:stream/promises';
import { objectsOfVersion, StoredVersion } from '@dtplatform/contracts';
import type { NamedObject } from '@dtplatform/contracts';
import { BSON } from 'mongodb';
import type { Context } from '../context.js';
import { inParallel } from '../in-parallel.js';
import { documentsOf } from '../store/dump-file.js';
import { PRIVATE_FILE, sha256Of } from '../store/files.js';
import type { Manifest } from '../store/manifest.js';
import type { Copied } from './object-copies.js';

const LANES = 8;
const REPORTED_MISSING = 20;
const REPORT_EVERY = 1_000;

export interface CopiedObjects {
  list: Manifest['objects'];
  /** Objects that no earlier backup had copied. */
  newObjects: number;
  newObjectBytes: number;
}

/**
 * Copies the objects that a dump references, and lists them.
 * @param dump the dump of file versions, if there is one
 */
export async function copyObjects({
  dir,
  dump,
  copy,
  signal,
  report,
}: Context & {
  dir: string;
  dump: string | undefined;
  copy: (object: NamedObject) => Promise<Copied>;
}): Promise<CopiedObjects> {
  const file = 'objects.jsonl';
  const lines = createWriteStream(path.join(dir, file), { mode: PRIVATE_FILE, flush: true });
  const written = finished(lines);
  written.catch(() => undefined); // A full disk ends the next write as well.
  const sum = { objects: 0, bytes: 0, missing: 0, newObjects: 0, newObjectBytes: 0 };

  function count({ key, size, sha256, isNew }: Copied): void {
    sum.objects += 1;
    if (sha256 === undefined) {
      sum.missing += 1;
      if (sum.missing <= REPORTED_MISSING) report(`MISSING: object ${key} is not in the bucket, or has another size`);
      return;
    }
    sum.bytes += size;
    if (isNew) {
      sum.newObjects += 1;
      sum.newObjectBytes += size;
    }
    if (sum.objects % REPORT_EVERY === 0) report(`objects: ${sum.objects}, ${sum.newObjects} of them new`);
  }

  const source = dump === undefined ? [] : namedIn(path.join(dir, dump), signal);
  await inParallel(source, LANES, async (object) => {
    const copied = await copy(object);
    count(copied);
    const { isNew: _isNew, ...listed } = copied;
    if (!lines.write(`${JSON.stringify(listed)}\n`)) await once(lines, 'drain', { signal });
  });
  lines.end();
  await written;
  const { newObjects, newObjectBytes, ...counts } = sum;
  const list = { file, sha256: await sha256Of(path.join(dir, file), signal), ...counts };
  return { list, newObjects, newObjectBytes };
}

async function* namedIn(dump: string, signal: AbortSignal): AsyncGenerator<NamedObject> {
  for await (const document of documentsOf(dump, signal))
    yield* objectsOfVersion(StoredVersion.parse(BSON.deserialize(document)));
}
