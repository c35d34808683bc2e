import type { IncomingHttpHeaders } from 'node:http';
import { commonErrors } from '@dtplatform/errors';

/** What identifies content that may change (RFC 9110, section 8.8). */
export interface Validators {
  /** Strong. */
  etag: string;
  /** In seconds since 1970. Undefined while the content may still change within the same second. */
  lastModified: number | undefined;
}

/** In whole seconds, as dates in headers are. @param modifiedAt milliseconds since 1970 */
export function lastModifiedOf(modifiedAt: number, now = Date.now()): number | undefined {
  const seconds = Math.floor(modifiedAt / 1000);
  // A date identifies content only if nobody saw other content with the same date (RFC 9110, section 8.8.2.2).
  return seconds + 1 < Math.floor(now / 1000) ? seconds : undefined;
}

/**
 * Evaluates the conditions of a GET or HEAD (RFC 9110, section 13.2.2).
 * @returns whether the caller already has this content, which is a 304
 * @throws 412 when the caller asks for other content
 */
export function isNotModified(headers: IncomingHttpHeaders, validators: Validators): boolean {
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
export function rangesApply({ 'if-range': ifRange }: IncomingHttpHeaders, { etag, lastModified }: Validators): boolean {
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
