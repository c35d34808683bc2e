import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { documentsIn } from '../documents/frames.js';
import { ListedObject } from './manifest.js';

/** The documents of a dump. @throws if the file is damaged */
export function documentsOf(file: string, signal: AbortSignal): AsyncGenerator<Buffer> {
  const plain = createGunzip();
  // The reader gets the error of any of them.
  pipeline(createReadStream(file, { signal }), plain, () => undefined);
  return documentsIn(plain);
}

/** The lines of a list of objects. */
export async function* listedObjects(file: string, signal: AbortSignal): AsyncGenerator<ListedObject> {
  for await (const line of createInterface({ input: createReadStream(file, { signal }) }))
    yield ListedObject.parse(JSON.parse(line));
}
