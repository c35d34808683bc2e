import type { IncomingHttpHeaders } from 'node:http';
import { commonErrors } from '@dtplatform/errors';
import { streamed } from '@dtplatform/http';
import type { Handler, RouteResponse } from '@dtplatform/http';
import { attachment, isObjectMissing } from '@dtplatform/object-store';
import type { File } from '../files/file.js';
import type { Content, Download } from './content.js';
import { byteRanges, contentRangeOf, lengthOf, multipartRanges } from './ranges.http.js';

type ContentHandler = Handler<{ resource: File }>;

/** GET /files/{id}/content: the tip's bytes as they were uploaded, whole or ranges of them. */
export const getContent =
  (content: Content): ContentHandler =>
  ({ resource, req, signal }) =>
    sendContent(content.of(resource), req.headers, signal);

/** HEAD of the same. Reads no content. */
export const headContent =
  (content: Content): ContentHandler =>
  async ({ resource, req }) =>
    describeContent(content.of(resource), req.headers);

/** Responds with content that never changes under its id, as the conditions and ranges of a request ask. @throws 412, 416 */
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
    // The encoding is that of the content, not of the body that its ranges are in: each part names it.
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

/** Of what describes the content, only what a cache needs (RFC 9110, section 15.4.5). */
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

/** What identifies content that may change (RFC 9110, section 8.8). */
interface Validators {
  /** Strong. */
  etag: string;
  /** In seconds since 1970. Undefined while the content may still change within the same second. */
  lastModified: number | undefined;
}

/** In whole seconds, as dates in headers are. @param modifiedAt milliseconds since 1970 */
function lastModifiedOf(modifiedAt: number, now = Date.now()): number | undefined {
  const seconds = Math.floor(modifiedAt / 1000);
  // A date identifies content only if nobody saw other content with the same date (RFC 9110, section 8.8.2.2).
  return seconds + 1 < Math.floor(now / 1000) ? seconds : undefined;
}

/**
 * Evaluates the conditions of a GET or HEAD (RFC 9110, section 13.2.2).
 * @returns whether the caller already has this content, which is a 304
 * @throws 412 when the caller asks for other content
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

/**
 * Whether the ranges of a request count: a caller must not combine ranges of different content (RFC 9110, section 13.1.5).
 */
function rangesApply({ 'if-range': ifRange }: IncomingHttpHeaders, { etag, lastModified }: Validators): boolean {
  if (ifRange === undefined || ifRange === etag) return true;
  return lastModified !== undefined && secondsOf(String(ifRange)) === lastModified;
}

const isAfter = (lastModified: number | undefined, date: string | undefined): boolean =>
  lastModified !== undefined && date !== undefined && lastModified > secondsOf(date);

const isNotAfter = (lastModified: number | undefined, date: string | undefined): boolean =>
  lastModified !== undefined && date !== undefined && lastModified <= secondsOf(date);

/** NaN, which compares as false, for what is not a date. */
const secondsOf = (date: string): number => (date.endsWith('GMT') ? Date.parse(date) / 1000 : NaN);

const entriesOf = (header: string): string[] => header.split(',').map((entry) => entry.trim());

const namesStrongly = (header: string, etag: string): boolean =>
  entriesOf(header).some((entry) => entry === '*' || entry === etag);

const namesWeakly = (header: string, etag: string): boolean =>
  entriesOf(header).some((entry) => entry === '*' || entry.replace(/^W\//, '') === etag);
