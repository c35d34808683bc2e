import type { Readable, Writable } from 'node:stream';
import type { Request, Response } from 'express';
import multer from 'multer';
import type { AppError } from '@dtplatform/errors';
import { normalizedContentType } from '@dtplatform/http';
import type { RequestContext } from '@dtplatform/http';
import { errors } from '../../errors.js';
import { requireDecoded, watchPartHeaders } from './part-headers.js';
import type { PartHeaders } from './part-headers.js';

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
