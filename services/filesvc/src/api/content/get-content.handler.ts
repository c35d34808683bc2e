import parseRange from 'range-parser';
import type { Range } from 'range-parser';
import { commonErrors } from '@dtplatform/errors';
import { streamed } from '@dtplatform/http';
import type { Handler, Reply } from '@dtplatform/http';
import { attachment, isObjectMissing } from '@dtplatform/object-store';
import type { Deps } from '../../deps.js';
import type { Download } from '../../domain/content/content.js';
import { errors } from '../../errors.js';
import type { File } from '../../domain/files/file.js';

type ContentHandler = Handler<{ resource: File }>;

/** GET /files/{id}/content: the tip's bytes as they were uploaded, whole or a range of them. */
export const getContent =
  (deps: Deps): ContentHandler =>
  async (context) => {
    const { download, range, notModified } = requested(deps, context);
    if (notModified) return notModified;
    const { stream } = await download.open(range, context.signal).catch(missingIsNotFound);
    return streamed(range ? 206 : 200, stream, headersOf(download, range));
  };

/** HEAD of the same. Reads no content. */
export const headContent =
  (deps: Deps): ContentHandler =>
  async (context) => {
    const { download, range, notModified } = requested(deps, context);
    return notModified ?? { status: range ? 206 : 200, headers: headersOf(download, range) };
  };

interface Requested {
  download: Download;
  range: Range | undefined;
  /** The response to a caller that already has this version. */
  notModified: Reply | undefined;
}

/** @throws 404 for files that are not complete, 412, 416 */
function requested({ content }: Deps, { resource, req: { headers } }: Parameters<ContentHandler>[0]): Requested {
  const download = content.of(resource);
  const etag = etagOf(download);
  if (headers['if-match'] !== undefined && !names(headers['if-match'], etag)) throw commonErrors.preconditionFailed();
  const isKnown = headers['if-none-match'] !== undefined && names(headers['if-none-match'], etag);
  // A caller cannot combine a range of this version with the rest of another one.
  const isSameVersion = headers['if-range'] === undefined || headers['if-range'] === etag;
  return {
    download,
    range: isSameVersion && !isKnown ? byteRange(headers.range, download.size) : undefined,
    notModified: isKnown ? { status: 304, headers: { etag } } : undefined,
  };
}

const SINGLE_RANGE = /^bytes=(\d*)-(\d*)$/;

/**
 * The requested range (RFC 9110, section 14.2), both ends included. Undefined without a range, and for ranges that a server
 * may ignore: other units, several ranges and invalid ranges.
 * @throws 416 when the range begins behind the end
 */
function byteRange(header: string | undefined, size: number): Range | undefined {
  const [, first = '', last = ''] = SINGLE_RANGE.exec(header ?? '') ?? [];
  if (first === '' && last === '') return undefined;
  if (first !== '' && last !== '' && Number(last) < Number(first)) return undefined;
  // range-parser rejects a suffix that is longer than the content, where RFC 9110 asks for the whole content.
  const ranges = parseRange(size, first === '' && Number(last) > size ? 'bytes=0-' : header!);
  if (typeof ranges === 'number') {
    throw errors.rangeNotSatisfiable({ headers: { 'content-range': `bytes */${size}` } });
  }
  return ranges[0];
}

/** The version was removed after the file was read. */
function missingIsNotFound(error: unknown): never {
  throw isObjectMissing(error) ? commonErrors.notFound({ cause: error }) : error;
}

/** The content of a version never changes. */
const etagOf = ({ versionId }: Download) => `"${versionId}"`;

/** RFC 9110, sections 13.1.1 and 13.1.2. */
const names = (header: string, etag: string) =>
  header.split(',').some((entry) => entry.trim() === '*' || entry.trim().replace(/^W\//, '') === etag);

function headersOf(download: Download, range: Range | undefined): Record<string, string | number> {
  const { size, contentType, contentEncoding, name } = download;
  return {
    'accept-ranges': 'bytes',
    'cache-control': 'private, no-cache',
    'content-disposition': attachment(name),
    'content-length': range ? range.end - range.start + 1 : size,
    'content-type': contentType,
    etag: etagOf(download),
    ...(contentEncoding ? { 'content-encoding': contentEncoding } : {}),
    ...(range ? { 'content-range': `bytes ${range.start}-${range.end}/${size}` } : {}),
  };
}
