import { commonErrors } from '@dtplatform/errors';
import { streamed } from '@dtplatform/http';
import type { Handler, Reply } from '@dtplatform/http';
import { attachment, isObjectMissing } from '@dtplatform/object-store';
import type { Deps } from '../../deps.js';
import type { Download } from '../../domain/downloads.js';
import { requireFile } from '../../domain/file-access.js';
import type { ContextQuery, FileParams } from '../files/files.schemas.js';
import { byteRange } from './byte-range.js';
import type { ByteRange } from './byte-range.js';

type ContentHandler = Handler<{ params: FileParams; query: ContextQuery }>;

/** GET /files/{id}/content: the tip's bytes as they were uploaded, whole or a range of them. */
export const getContent =
  (deps: Deps): ContentHandler =>
  async (context) => {
    const { download, range, notModified } = await requested(deps, context);
    if (notModified) return notModified;
    const { stream } = await download.open(range, context.signal).catch(missingIsNotFound);
    return streamed(range ? 206 : 200, stream, headersOf(download, range));
  };

/** HEAD of the same: nothing is read. */
export const headContent =
  (deps: Deps): ContentHandler =>
  async (context) => {
    const { download, range, notModified } = await requested(deps, context);
    return notModified ?? { status: range ? 206 : 200, headers: headersOf(download, range) };
  };

interface Requested {
  download: Download;
  range: ByteRange | undefined;
  /** The answer to a caller that has this version already. */
  notModified: Reply | undefined;
}

/** @throws 404 for what may not be read or is not complete, 412, 416 */
async function requested(
  { files, downloads }: Deps,
  { access, params, query, req }: Parameters<ContentHandler>[0],
): Promise<Requested> {
  const file = await requireFile(access, 'READ', await files.find(params.id), query.nsfilter);
  const download = downloads.of(file);
  if (!download) throw commonErrors.notFound();
  const { headers } = req;
  const etag = etagOf(download);
  if (headers['if-match'] !== undefined && !names(headers['if-match'], etag)) throw commonErrors.preconditionFailed();
  const isKnown = headers['if-none-match'] !== undefined && names(headers['if-none-match'], etag);
  // A range of another version than the caller has the rest of would be of no use to it.
  const isSameVersion = headers['if-range'] === undefined || headers['if-range'] === etag;
  return {
    download,
    range: isSameVersion && !isKnown ? byteRange(headers.range, download.size) : undefined,
    notModified: isKnown ? { status: 304, headers: { etag } } : undefined,
  };
}

/** The version was removed since the file was read. */
function missingIsNotFound(error: unknown): never {
  throw isObjectMissing(error) ? commonErrors.notFound({ cause: error }) : error;
}

/** A version's content never changes. */
const etagOf = ({ versionId }: Download) => `"${versionId}"`;

/** RFC 9110, sections 13.1.1 and 13.1.2. */
const names = (header: string, etag: string) =>
  header.split(',').some((entry) => entry.trim() === '*' || entry.trim().replace(/^W\//, '') === etag);

function headersOf(download: Download, range: ByteRange | undefined): Record<string, string | number> {
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
