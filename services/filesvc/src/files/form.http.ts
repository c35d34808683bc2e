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
const MISNAMED = 'Files must be in parts named "file".';

/** Text fields as latin1 bytes. A repeated field is an array. */
export type FormFields = Record<string, unknown>;

/** Missing in multer's types. */
interface Options extends multer.Options {
  defCharset: string;
  streamHandler: (req: Request, busboy: Writable) => void;
}

export interface IncomingFile {
  name: string;
  /** As sent; undefined if the part has none. */
  contentType: string | undefined;
  stream: Readable;
}

/**
 * Streams the files of a form to `receive` one after another, without buffering. Discards the received files if
 * anything is wrong. Rejects with the first error, without waiting for the rest of the body.
 * @throws 400 for a form that is malformed, exceeds a limit or has no file; the error of `receive`
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
        // Keeps the order of the form, although a small file may be stored before a large one.
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
      // Preserves bytes for `decodedFields`.
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

const LIMITS: Record<string, string> = {
  LIMIT_PART_COUNT: `at most ${MAX_FILES + MAX_FIELDS} parts`,
  LIMIT_FILE_COUNT: `at most ${MAX_FILES} files`,
  LIMIT_FIELD_COUNT: `at most ${MAX_FIELDS} fields`,
  LIMIT_FIELD_KEY: `field names of at most ${MAX_NAME_BYTES} bytes`,
  LIMIT_FIELD_VALUE: `fields of at most ${MAX_FIELD_BYTES} bytes`,
  LIMIT_FIELD_NESTING: 'no nested fields',
};

/** Errors of `receive` have rejected already. */
function formError(error: unknown, fileCount: number): AppError {
  const code = error instanceof multer.MulterError ? error.code : '';
  // multer reports one file too many as an unexpected name, too.
  const limit = code === 'LIMIT_UNEXPECTED_FILE' && fileCount >= MAX_FILES ? LIMITS.LIMIT_FILE_COUNT : LIMITS[code];
  if (limit !== undefined) return errors.formLimit({ message: `The form must have ${limit}.`, cause: error });
  if (code === 'LIMIT_UNEXPECTED_FILE') return errors.noFile({ message: MISNAMED, cause: error });
  return code.startsWith('LIMIT_') ? errors.formLimit({ cause: error }) : errors.brokenForm({ cause: error });
}

/** Values of header fields in latin1: a character per byte. */
type Headers = Record<string, string[] | undefined>;
interface HeaderParser {
  cb: (headers: Headers) => void;
}

interface PartHeaders {
  contentType: string | undefined;
  disposition: string;
}

const REPLACEMENT = /\ufffd/g;
/** U+FFFD in UTF-8, raw or percent-encoded. */
const SENT_REPLACEMENT = /\xef\xbf\xbd|%ef%bf%bd/gi;

/**
 * Calls `onPart` with the headers of each part before busboy reports it. busboy itself defaults a missing type to
 * `text/plain`, drops parameters of types, and replaces bytes that it cannot decode.
 */
function watchPartHeaders(busboy: Writable, onPart: (headers: PartHeaders) => void): void {
  let parser: HeaderParser | null = null;
  let watched: HeaderParser | undefined;

  const watch = (found: HeaderParser) => {
    const read = found.cb;
    found.cb = (headers) => {
      const [contentType] = headers['content-type'] ?? [];
      onPart({ contentType, disposition: headers['content-disposition']?.[0] ?? '' });
      // `decodedFields` decodes fields, whatever charset the part names.
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

/** @throws 400 when busboy replaced undecodable bytes in the file name */
function requireDecoded(name: string, { disposition }: PartHeaders): void {
  if (countOf(name, REPLACEMENT) > countOf(disposition, SENT_REPLACEMENT)) throw notUtf8();
}

const countOf = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0;

/**
 * Decodes latin1 bytes as UTF-8.
 * @throws 400
 */
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

const notUtf8 = () => commonErrors.badRequest({ message: 'A file name or form field is not valid UTF-8.' });
