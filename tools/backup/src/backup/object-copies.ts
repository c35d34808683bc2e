import { stat, utimes } from 'node:fs/promises';
import path from 'node:path';
import type { NamedObject } from '@dtplatform/contracts';
import { isObjectMissing } from '@dtplatform/object-store';
import type { ObjectStore } from '@dtplatform/object-store';
import { readJson, writeJson, writeWhole } from '../store/files.js';
import { ListedObject } from '../store/manifest.js';

interface Deps {
  bucket: Pick<ObjectStore, 'get'>;
  /** The folder of the objects. */
  folder: string;
  /** Start of the backup: objects it references are not removed with older backups. */
  startedAt: Date;
  signal: AbortSignal;
}

export type Copied = ListedObject & { isNew: boolean };

/** Copies objects into the folder. Objects never change, so existing copies are kept. */
export function createObjectCopies({ bucket, folder, startedAt, signal }: Deps) {
  async function known(file: string, { key, size }: NamedObject): Promise<ListedObject | undefined> {
    const record = ListedObject.safeParse(await readJson(`${file}.json`));
    if (!record.success || record.data.key !== key || record.data.size !== size) return undefined;
    const found = await stat(file).catch(() => undefined);
    return found?.size === size ? record.data : undefined;
  }

  /** Undefined if the bucket does not have it, or has a different object. */
  async function copy(file: string, { key, size }: NamedObject): Promise<ListedObject | undefined> {
    const object = await bucket.get(key, { signal }).catch((error: unknown) => {
      if (isObjectMissing(error)) return undefined;
      throw error;
    });
    if (object === undefined) return undefined;
    const { stream, contentType, contentEncoding } = object;
    if (object.size !== size) {
      stream.destroy();
      return undefined;
    }
    const { sha256 } = await writeWhole(file, stream, { signal });
    const record = { key, size, sha256, contentType, contentEncoding };
    await writeJson(`${file}.json`, record);
    return record;
  }

  return async (object: NamedObject): Promise<Copied> => {
    const file = path.join(folder, ListedObject.shape.key.parse(object.key));
    const before = await known(file, object);
    const record = before ?? (await copy(file, object));
    if (record === undefined) return { ...object, isNew: false };
    await utimes(`${file}.json`, startedAt, startedAt);
    return { ...record, isNew: before === undefined };
  };
}
