import type { IncomingHttpHeaders } from 'node:http';
import { commonErrors } from '@dtplatform/errors';
import { streamed } from '@dtplatform/http';
import type { Handler, RouteResponse } from '@dtplatform/http';
import { attachment, isObjectMissing } from '@dtplatform/object-store';
import type { File } from '../files/file.js';
import type { Content, Download } from './content.js';
import { byteRanges, contentRangeOf, lengthOf, multipartRanges } from './ranges.http.js';

type ContentHandler = Handler<{ resource: File }>;

export const getContent =
  (content: Content): ContentHandler =>
  ({ resource, req, signal }) =>
    sendContent(content.of(resource), req.headers, signal);

/** Does not read the object. */
export const headContent =
  (content: Content): ContentHandler =>
  async ({ resource, req }) =>
    describeContent(content.of(resource), req.headers);

/**
 * Responds with immutable content according to the conditions and ranges of the request.
 * @throws 412, 416
 */
async function sendContent(
  download: Download,
  requested: IncomingHttpHeaders,
  signal: AbortSignal,
): Promise<RouteResponse> {
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

  async function sendRange(): Promise<RouteResponse> {
    const [range] = ranges;
    const { stream } = await download.open(range, signal);
    if (!range) return streamed(200, stream, headers);
    const ofRange = { 'content-length': lengthOf(range), 'content-range': contentRangeOf(range, download.size) };
    return streamed(206, stream, { ...headers, ...ofRange });
  }

  async function sendRanges(): Promise<RouteResponse> {
    const body = multipartRanges(download, ranges);
    // The content is encoded, the multipart body is not. Each part names the encoding.
    const { 'content-encoding': _ofContent, ...ofResponse } = headers;
    const stream = await body.open(signal);
    return streamed(206, stream, { ...ofResponse, 'content-length': body.length, 'content-type': body.contentType });
  }
}

/** Only GET has ranges (RFC 9110, section 14.2). @throws 412 */
function describeContent(download: Download, requested: IncomingHttpHeaders): RouteResponse {
  const validators = validatorsOf(download);
  const headers = headersOf(download, validators);
  return isNotModified(requested, validators) ? notModified(headers) : { status: 200, headers };
}

type Headers = Record<string, string | number>;

/** The headers of a 304 (RFC 9110, section 15.4.5). */
const KEPT = new Set(['etag', 'cache-control', 'last-modified']);
const notModified = (headers: Headers): RouteResponse => ({
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

/** RFC 9110, section 8.8. */
interface Validators {
  etag: string;
  /** Seconds since 1970. Undefined while the content may still change within the same second. */
  lastModified: number | undefined;
}

/** @param modifiedAt milliseconds since 1970 */
function lastModifiedOf(modifiedAt: number, now = Date.now()): number | undefined {
  const seconds = Math.floor(modifiedAt / 1000);
  // A date identifies content only if no other content had the same date (RFC 9110, section 8.8.2.2).
  return seconds + 1 < Math.floor(now / 1000) ? seconds : undefined;
}

/**
 * RFC 9110, section 13.2.2.
 * @returns whether the response is a 304
 * @throws 412
 */
function isNotModified(headers: IncomingHttpHeaders, validators: Validators): boolean {
  const { etag, lastModified } = validators;
  const ifMatch = headers['if-match'];
  if (ifMatch !== undefined ? !namesStrongly(ifMatch, etag) : isAfter(lastModified, headers['if-unmodified-since'])) {
    throw commonErrors.preconditionFailed();
  }
  const ifNoneMatch = headers['if-none-match'];
  if (ifNoneMatch !== undefined) return namesWeakly(ifNoneMatch, etag);
  return isNotAfter(lastModified, headers['if-modified-since']);
}

/** Whether to serve ranges rather than the whole content (RFC 9110, section 13.1.5). */
function rangesApply({ 'if-range': ifRange }: IncomingHttpHeaders, { etag, lastModified }: Validators): boolean {
  if (ifRange === undefined || ifRange === etag) return true;
  return lastModified !== undefined && secondsOf(String(ifRange)) === lastModified;
}

const isAfter = (lastModified: number | undefined, date: string | undefined): boolean =>
  lastModified !== undefined && date !== undefined && lastModified > secondsOf(date);

const isNotAfter = (lastModified: number | undefined, date: string | undefined): boolean =>
  lastModified !== undefined && date !== undefined && lastModified <= secondsOf(date);

/** NaN for malformed dates; comparisons with it are false. */
const secondsOf = (date: string): number => (date.endsWith('GMT') ? Date.parse(date) / 1000 : NaN);

const entriesOf = (header: string): string[] => header.split(',').map((entry) => entry.trim());

const namesStrongly = (header: string, etag: string): boolean =>
  entriesOf(header).some((entry) => entry === '*' || entry === etag);

const namesWeakly = (header: string, etag: string): boolean =>
  entriesOf(header).some((entry) => entry === '*' || entry.replace(/^W\//, '') === etag);
