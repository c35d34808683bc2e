import { createHash } from 'node:crypto';
import { open, realpath, rename, rm, stat } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import type { Client } from '../client.js';
import { openContent } from '../download.js';
import type { Content, DownloadOptions } from '../download.js';
import { ContentChangedError, DtplatformError } from '../errors.js';
import { messageOf } from '../message-of.js';

type WrittenFile = Pick<FileHandle, 'sync' | 'close'> & {
  write(bytes: Uint8Array, offset: number, length: number, position: number): Promise<{ bytesWritten: number }>;
};

export type ToFileOptions = DownloadOptions & {
  /** Opens the file to write, instead of `open` of `node:fs/promises`. */
  open?: (path: string, flags: string) => Promise<WrittenFile>;
};

/** The file cannot be written. */
export class DiskError extends DtplatformError {
  override name = 'DiskError';
  /** The system's error code, such as `ENOSPC`. */
  readonly code: string;

  constructor(path: string, cause: NodeJS.ErrnoException) {
    const reason = cause.code === 'ENOSPC' ? 'the disk is full' : messageOf(cause);
    super(`${path} cannot be written: ${reason}.`, { cause });
    this.code = cause.code ?? '';
  }
}

/**
 * Downloads a file to a path. Writes the content to `PATH.….part` and renames it once complete. After an interruption,
 * the next call with the same path resumes, if the content is unchanged.
 * @throws DiskError when it cannot be written; the part is then removed
 */
export async function downloadToFile(client: Client, path: string, options: ToFileOptions): Promise<void> {
  return downloadTo(client, await fileAt(path), options);
}

/** Renaming would replace a link instead of its file, and a device or pipe. @throws DiskError for the latter */
async function fileAt(path: string): Promise<string> {
  const there = await stat(path).catch(() => undefined);
  if (!there) return path;
  if (!there.isFile()) throw new DiskError(path, Object.assign(new Error('it is not a file'), { code: 'EINVAL' }));
  return realpath(path);
}

async function downloadTo(client: Client, path: string, options: ToFileOptions): Promise<void> {
  const { etag, size, isEncoded } = await describe(client, options);
  const part = `${path}.${createHash('sha256').update(etag).digest('hex').slice(0, 12)}.part`;
  const start = { at: isEncoded ? 0 : await sizeOf(part), etag };
  try {
    // The platform would reject a range that starts at the end.
    if (start.at === 0 || start.at !== size) await downloadPart(client, part, options, start);
  } catch (error) {
    if (!(error instanceof ContentChangedError)) throw error;
    await rm(part, { force: true });
    return downloadTo(client, path, options);
  }
  await onDisk(path, () => rename(part, path));
}

async function describe(client: Client, { id, versionId, namespace, signal }: ToFileOptions) {
  const query = { nsfilter: namespace };
  const { headers } =
    versionId === undefined
      ? await client.send('filesvc.content.head', { path: { id }, query, signal })
      : await client.send('filesvc.fileVersions.headContent', { path: { id, versionId }, query, signal });
  const size = Number(headers.get('content-length'));
  return { etag: headers.get('etag') ?? '', size, isEncoded: headers.has('content-encoding') };
}

const sizeOf = (path: string): Promise<number> =>
  stat(path).then(
    ({ size }) => size,
    () => 0,
  );

async function downloadPart(client: Client, part: string, options: ToFileOptions, start: { at: number; etag: string }) {
  const content = await openContent(client, options, start);
  const file = await onDisk(part, () => (options.open ?? open)(part, start.at === 0 ? 'w' : 'r+'));
  try {
    await writeAll(content, file, part, start.at);
    await onDisk(part, () => file.sync());
  } catch (error) {
    if (error instanceof DiskError) await rm(part, { force: true });
    throw error;
  } finally {
    await content.chunks.return();
    await file.close();
  }
}

/** Writes at offsets: another program that downloads the same content to the same path writes the same bytes there. */
async function writeAll({ chunks }: Content, file: WrittenFile, part: string, at: number): Promise<void> {
  let position = at;
  for await (const bytes of chunks) {
    // The system may write less than requested.
    for (let done = 0; done < bytes.byteLength;) {
      const rest = bytes.byteLength - done;
      const { bytesWritten } = await onDisk(part, () => file.write(bytes, done, rest, position));
      done += bytesWritten;
      position += bytesWritten;
    }
  }
}

async function onDisk<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new DiskError(path, error as NodeJS.ErrnoException);
  }
}
