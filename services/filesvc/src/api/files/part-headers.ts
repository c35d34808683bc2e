import { isUtf8 } from 'node:buffer';
import type { Writable } from 'node:stream';
import { commonErrors } from '@dtplatform/errors';
import { mediaTypeOf } from '@dtplatform/http';

/** Lists of the values of header fields, in latin1: a character for each byte. */
type Headers = Record<string, string[] | undefined>;
interface HeaderParser {
  cb: (headers: Headers) => void;
}

/** The headers of a part of a form that busboy does not report. */
export interface PartHeaders {
  /** Undefined when the part has none. */
  contentType: string | undefined;
  disposition: string;
}

const REPLACEMENT = /\ufffd/g;
/** The bytes of that character in UTF-8, as they are or percent-encoded. */
const SENT_REPLACEMENT = /\xef\xbf\xbd|%ef%bf%bd/gi;

/**
 * Calls `onPart` with the headers of each part before busboy reports it. busboy has no event for them: it gives a part without
 * a type `text/plain`, drops the parameters of a type, and replaces bytes that it cannot decode.
 */
export function watchPartHeaders(busboy: Writable, onPart: (headers: PartHeaders) => void): void {
  let parser: HeaderParser | null = null;
  let watched: HeaderParser | undefined;

  const watch = (found: HeaderParser) => {
    const read = found.cb;
    found.cb = (headers) => {
      const [contentType] = headers['content-type'] ?? [];
      onPart({ contentType, disposition: headers['content-disposition']?.[0] ?? '' });
      // Fields are decoded here, not in the charset that the part names.
      if (contentType !== undefined) headers['content-type'] = [mediaTypeOf(contentType)];
      read(headers);
    };
    watched = found;
  };
  Object.defineProperty(busboy, '_hparser', {
    get: () => parser,
    set(next: HeaderParser | null) {
      if (next && next !== watched) watch(next);
      parser = next;
    },
  });
}

/** @throws 400 for the name of a file in which busboy has replaced bytes that are not in the charset of the name */
export function requireDecoded(name: string, { disposition }: PartHeaders): void {
  if (countOf(name, REPLACEMENT) > countOf(disposition, SENT_REPLACEMENT)) throw notUtf8();
}

const countOf = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0;

/** The fields of a form, whose bytes were read as latin1. @throws 400 */
export function decodedFields(fields: Record<string, unknown>): Record<string, unknown> {
  const decoded = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(decoded);
    if (typeof value !== 'string') return value;
    const bytes = Buffer.from(value, 'latin1');
    if (!isUtf8(bytes)) throw notUtf8();
    return bytes.toString();
  };
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, decoded(value)]));
}

const notUtf8 = () => commonErrors.badRequest({ message: 'A file name or a field of the form is not UTF-8.' });
