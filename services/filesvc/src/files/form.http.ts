import type { Readable, Writable } from 'node:stream';
import { isUtf8 } from 'node:buffer';
import type { Request, Response } from 'express';
import multer from 'multer';
import { commonErrors } from '@dtplatform/errors';
import type { AppError } from '@dtplatform/errors';
import { mediaTypeOf, normalizedContentType } from '@dtplatform/http';
import type { RequestContext } from '@dtplatform/http';
import { errors } from '../errors.js';

const MAX_FILES = 20;
const MAX_FIELDS = 50;
const MAX_FIELD_BYTES = 64 * 1024;
const MAX_NAME_BYTES = 100;
const MISNAMED = 'A file is in a part of another name: files belong in parts named "file".';

/** Text fields of a form, their bytes as latin1. A repeated field is an array. */
export type FormFields = Record<string, unknown>;

/** Options that the types of multer lack. */
interface Options extends multer.Options {
  defCharset: string;
  streamHandler: (req: Request, busboy: Writable) => void;
}

/** A file's part of a form, as it arrives. */
export interface IncomingFile {
  name: string;
  /** As it was sent; undefined when the part has none. */
  contentType: string | undefined;
  stream: Readable;
}

/**
 * Reads a form. Files stream to `receive` one after another, without buffering. If anything is wrong with the form, the
 * received files are discarded. Rejects with the first error, without waiting for the rest of the body.
 * @throws 400 for a form that is malformed, has too large fields or no file; the error of `receive`
 */
export function receiveForm<T>(
  { req, res }: Pick<RequestContext, 'req' | 'res'>,
  receive: (file: IncomingFile) => Promise<T>,
  discard: (received: T) => Promise<void>,
): Promise<{ files: T[]; fields: FormFields }> {
  return new Promise((resolve, reject) => {
    const files: T[] = [];
    let places = 0;
    const fail: (error: unknown) => void = reject;
    let part: PartHeaders = { contentType: undefined, disposition: '' };
    const receivePart = async (name: string, stream: Readable): Promise<T> => {
      requireDecoded(name, part);
      return receive({ name, contentType: part.contentType, stream });
    };
    const storage: multer.StorageEngine = {
      _handleFile(_req, { originalname, stream }, done) {
        // Keeps the order of the form: a small file may be stored before a large one that came first.
        const place = places++;
        receivePart(originalname, stream).then(
          (received) => {
            files[place] = received;
            done(null, { received } as object);
          },
          (error: unknown) => {
            fail(error);
            done(error);
          },
        );
      },
      _removeFile(_req, file, done) {
        discard((file as unknown as { received: T }).received).then(() => done(null), done);
      },
    };
    const options: Options = {
      storage,
      preservePath: true,
      defParamCharset: 'utf8',
      // Keeps the bytes of fields, for `decodedFields`.
      defCharset: 'latin1',
      streamHandler(request, busboy) {
        watchPartHeaders(busboy, (headers) => (part = headers));
        request.pipe(busboy);
      },
      limits: {
        files: MAX_FILES,
        fields: MAX_FIELDS,
        fieldNameSize: MAX_NAME_BYTES,
        fieldSize: MAX_FIELD_BYTES,
        parts: MAX_FILES + MAX_FIELDS,
        headerPairs: 20,
        fieldNestingDepth: 1,
        fieldArrayIndexLimit: MAX_FIELDS,
      },
    };
    const form = multer(options).array('file', MAX_FILES);

    req.headers['content-type'] = normalizedContentType(req.headers['content-type']!);
    form(req as Request, res as Response, (error: unknown) => {
      if (error) reject(formError(error, places));
      else if (files.length === 0) reject(errors.noFile());
      else resolve({ files, fields: (req as Request).body as FormFields });
    });
  });
}

/** What a form must not exceed, by multer's codes. */
const LIMITS: Record<string, string> = {
  LIMIT_PART_COUNT: `at most ${MAX_FILES + MAX_FIELDS} parts`,
  LIMIT_FILE_COUNT: `at most ${MAX_FILES} files`,
  LIMIT_FIELD_COUNT: `at most ${MAX_FIELDS} fields`,
  LIMIT_FIELD_KEY: `names of fields of at most ${MAX_NAME_BYTES} bytes`,
  LIMIT_FIELD_VALUE: `fields of at most ${MAX_FIELD_BYTES} bytes`,
  LIMIT_FIELD_NESTING: 'fields that are not nested',
};

/** Errors of the form itself. An error of `receive` has rejected already. */
function formError(error: unknown, fileCount: number): AppError {
  const code = error instanceof multer.MulterError ? error.code : '';
  // To multer one file too many has an unexpected name, too.
  const limit = code === 'LIMIT_UNEXPECTED_FILE' && fileCount >= MAX_FILES ? LIMITS.LIMIT_FILE_COUNT : LIMITS[code];
  if (limit !== undefined) return errors.formLimit({ message: `The form must have ${limit}.`, cause: error });
  if (code === 'LIMIT_UNEXPECTED_FILE') return errors.noFile({ message: MISNAMED, cause: error });
  return code.startsWith('LIMIT_') ? errors.formLimit({ cause: error }) : errors.brokenForm({ cause: error });
}

/** Lists of the values of header fields, in latin1: a character for each byte. */
type Headers = Record<string, string[] | undefined>;
interface HeaderParser {
  cb: (headers: Headers) => void;
}

/** The headers of a part of a form that busboy does not report. */
interface PartHeaders {
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
function watchPartHeaders(busboy: Writable, onPart: (headers: PartHeaders) => void): void {
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
function requireDecoded(name: string, { disposition }: PartHeaders): void {
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
