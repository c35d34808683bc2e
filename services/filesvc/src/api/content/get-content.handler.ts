import type { IncomingHttpHeaders } from 'node:http';
import { commonErrors } from '@dtplatform/errors';
import { streamed } from '@dtplatform/http';
import type { Handler, Reply } from '@dtplatform/http';
import { attachment, isObjectMissing } from '@dtplatform/object-store';
import type { Deps } from '../../deps.js';
import type { Download } from '../../domain/content/content.js';
import type { File } from '../../domain/files/file.js';
import { byteRanges } from './byte-ranges.js';
import { isNotModified, lastModifiedOf, rangesApply } from './conditions.js';
import type { Validators } from './conditions.js';
import { contentRangeOf, lengthOf, multipartRanges } from './multipart-ranges.js';

type ContentHandler = Handler<{ resource: File }>;

/** GET /files/{id}/content: the tip's bytes as they were uploaded, whole or ranges of them. */
export const getContent =
  ({ content }: Deps): ContentHandler =>
  ({ resource, req, signal }) =>
    sendContent(content.of(resource), req.headers, signal);

/** HEAD of the same. Reads no content. */
export const headContent =
  ({ content }: Deps): ContentHandler =>
  async ({ resource, req }) =>
    describeContent(content.of(resource), req.headers);

/** Replies with content that never changes under its id, as the conditions and ranges of a request ask. @throws 412, 416 */
async function sendContent(download: Download, requested: IncomingHttpHeaders, signal: AbortSignal): Promise<Reply> {
  const validators = validatorsOf(download);
  const headers = headersOf(download, validators);
  if (isNotModified(requested, validators)) return notModified(headers);
  const ranges = rangesApply(requested, validators) ? byteRanges(requested.range, download.size) : [];
  try {
    return ranges.length > 1 ? await sendRanges() : await sendRange();
  } catch (error) {
    // The version was removed after the file was read.
    throw isObjectMissing(error) ? commonErrors.notFound({ cause: error }) : error;
  }

  async function sendRange(): Promise<Reply> {
    const [range] = ranges;
    const { stream } = await download.open(range, signal);
    if (!range) return streamed(200, stream, headers);
    const ofRange = { 'content-length': lengthOf(range), 'content-range': contentRangeOf(range, download.size) };
    return streamed(206, stream, { ...headers, ...ofRange });
  }

  async function sendRanges(): Promise<Reply> {
    const body = multipartRanges(download, ranges);
    // The encoding is that of the content, not of the body that its ranges are in: each part names it.
    const { 'content-encoding': _ofContent, ...ofReply } = headers;
    const stream = await body.open(signal);
    return streamed(206, stream, { ...ofReply, 'content-length': body.length, 'content-type': body.contentType });
  }
}

/** Only GET has ranges (RFC 9110, section 14.2). @throws 412 */
function describeContent(download: Download, requested: IncomingHttpHeaders): Reply {
  const validators = validatorsOf(download);
  const headers = headersOf(download, validators);
  return isNotModified(requested, validators) ? notModified(headers) : { status: 200, headers };
}

type Headers = Record<string, string | number>;

/** Of what describes the content, only what a cache needs (RFC 9110, section 15.4.5). */
const KEPT = new Set(['etag', 'cache-control', 'last-modified']);
const notModified = (headers: Headers): Reply => ({
  status: 304,
  headers: Object.fromEntries(Object.entries(headers).filter(([name]) => KEPT.has(name))),
});

const validatorsOf = ({ versionId, modifiedAt }: Download): Validators => ({
  etag: `"${versionId}"`,
  lastModified: lastModifiedOf(modifiedAt),
});

function headersOf(download: Download, { etag, lastModified }: Validators): Headers {
  const { size, contentType, contentEncoding, name } = download;
  return {
    'accept-ranges': 'bytes',
    'cache-control': 'private, no-cache',
    'content-disposition': attachment(name),
    'content-length': size,
    'content-type': contentType,
    etag,
    ...(contentEncoding ? { 'content-encoding': contentEncoding } : {}),
    ...(lastModified === undefined ? {} : { 'last-modified': new Date(lastModified * 1000).toUTCString() }),
  };
}
