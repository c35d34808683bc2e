import { createHash } from 'node:crypto';
import type { Hash } from 'node:crypto';
import { Readable } from 'node:stream';
import { AppError } from '@dtplatform/errors';
import type { RequestContext } from '@dtplatform/http';
import type { Deps } from '../../deps.js';
import { errors } from '../../errors.js';
import { receiveForm } from './receive-form.js';
import type { FormFields, IncomingFile } from './receive-form.js';
import type { UploadFormQuery } from './files.schemas.js';

type FormContext = Pick<RequestContext<unknown, UploadFormQuery>, 'req' | 'res' | 'query' | 'access'>;

/** Equal for equal forms of requests with the same idempotency key. Their boundaries may differ. */
export const digestOf = ({ req }: Pick<RequestContext, 'req'>, parts: string[], fields: FormFields): string =>
  newHash()
    .update(JSON.stringify([req.headers['content-encoding'] ?? '', parts, fields]))
    .digest('base64url');

/** A file of a form, and the stream from which its bytes are read. `digest` is that of the part, once they have been. */
export function digested(file: IncomingFile) {
  const hash = newHash();
  const stream = Readable.from(updating(hash, file.stream), { objectMode: false });
  return { stream, digest: () => JSON.stringify([file.name, file.contentType ?? '', hash.digest('base64url')]) };
}

/** Reads the form of a repetition, which is not stored. @throws as the upload does */
export const digestForm =
  ({ formUploads, bodies }: Deps) =>
  async ({ req, res, query, access }: FormContext): Promise<string> => {
    await formUploads.admit(query.nsfilter, access);
    const read = async (file: IncomingFile): Promise<string> => {
      const { stream, digest } = digested(file);
      let bytes = 0;
      try {
        for await (const chunk of stream as AsyncIterable<Buffer>) formUploads.requireSize((bytes += chunk.length));
      } catch (cause) {
        throw cause instanceof AppError ? cause : errors.uploadCut({ cause });
      }
      return digest();
    };
    const { files, fields } = await bodies.during(req, () => receiveForm({ req, res }, read, async () => undefined));
    return digestOf({ req }, files, fields);
  };

async function* updating(hash: Hash, source: Readable): AsyncGenerator<Buffer> {
  for await (const chunk of source as AsyncIterable<Buffer>) {
    hash.update(chunk);
    yield chunk;
  }
}

const newHash = () => createHash('sha256');
