import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Client } from '../client.js';
import { upload } from '../upload.js';
import type { File, UploadOptions } from '../upload.js';
import type { UploadSource } from '../upload-content.js';

export type FromFileOptions = Omit<UploadOptions, 'name' | 'content' | 'checksum'> & {
  /** Defaults to the file's name. */
  name?: string;
};

/** Uploads a file from disk. Reads it twice, because the platform verifies its SHA-256. */
export async function uploadFromFile(client: Client, path: string, options: FromFileOptions = {}): Promise<File> {
  const { size } = await stat(path);
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash, { signal: options.signal });
  const checksum = `sha256:${hash.digest('hex')}`;
  return upload(client, { name: basename(path), ...options, content: sourceOf(path, size), checksum });
}

function sourceOf(path: string, size: number): UploadSource {
  return {
    size,
    read: (start, end) => (end > start ? createReadStream(path, { start, end: end - 1 }) : Buffer.alloc(0)),
  };
}
