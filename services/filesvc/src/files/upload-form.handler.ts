import { createHash } from 'node:crypto';
import type { Hash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { z } from 'zod';
import { AppError, commonErrors } from '@dtplatform/errors';
import { created, mediaTypeOf, parseInput, parseNamed } from '@dtplatform/http';
import type { Handler, RequestContext } from '@dtplatform/http';
import type { Access } from '@dtplatform/permissions';
import { contentTypeOf, encodingOf, lengthOf } from '../content/request-bodies.http.js';
import type { RequestBodies } from '../content/request-bodies.http.js';
import { errors } from '../errors.js';
import { FileName } from './file.js';
import type { File } from './file.js';
import type { FormTarget, FormUploads, Received } from './form-uploads.js';
import { decodedFields, receiveForm } from './form.http.js';
import type { FormFields, IncomingFile } from './form.http.js';
import { Target } from './parameters.http.js';
import type { UploadFormQuery } from './parameters.http.js';
import type { Placement } from './placement.js';

const FormTargets = Target.partial();

export const isForm = ({ headers }: { headers: Record<string, unknown> }) =>
  mediaTypeOf(headers['content-type'] as string | undefined).startsWith('multipart/');

interface Parts {
  formUploads: FormUploads;
  bodies: RequestBodies;
}

export const uploadForm =
  (parts: Parts): Handler<{ query: UploadFormQuery }, File[]> =>
  async (context) => {
    const { req, res, query, access } = context;
    await parts.formUploads.admit(query.nsfilter, access);
    const contentEncoding = encodingOf(req.headers);
    const hasKey = req.headers['idempotency-key'] !== undefined;
    const digests = new Map<Received, string>();
    const decided: Decided = new Map();
    const receive = async (file: IncomingFile): Promise<Received> => {
      const name = parseInput(FileName, file.name, 'body');
      const placement = await rejectEarly(parts, query, name, access);
      const part = hasKey ? digested(file) : undefined;
      const received = await parts.formUploads.receive(
        part?.stream ?? file.stream,
        { name, contentType: contentTypeOf(name, file.contentType), contentEncoding },
        access.principal.id,
        lengthOf(req.headers),
      );
      if (part) digests.set(received, part.digest());
      if (placement) decided.set(received, placement);
      return received;
    };
    const { files, fields } = await parts.bodies.during(req, () =>
      receiveForm({ req, res }, receive, parts.formUploads.discard),
    );
    if (hasKey)
      context.bodyDigest = digestOf(
        context,
        files.map((file) => digests.get(file)!),
        fields,
      );
    const where = () => {
      const form = parseNamed({ res }, FormTargets, decodedFields(fields), 'body');
      if (form._namespaces || form._parents) decided.clear();
      return targetOf(query, form);
    };
    return created(await placeAll(parts, files, { where, decided }, access));
  };

type Decided = Map<Received, Placement>;

/** Rejects a caller without permission before the file is sent, if the query has the target. */
async function rejectEarly({ formUploads }: Parts, query: UploadFormQuery, name: string, access: Access) {
  if (!query._namespaces || !query._parents) return undefined;
  return formUploads.decide(targetOf(query, {}), name, access);
}

/** Decides all places before placing the first file. Discards the remaining files when one is rejected. */
async function placeAll(
  { formUploads }: Parts,
  files: Received[],
  { where, decided }: { where: () => FormTarget; decided: Decided },
  access: Access,
) {
  const left = new Set(files);
  const placed: File[] = [];
  try {
    const place = where();
    for (const file of files)
      if (!decided.has(file)) decided.set(file, await formUploads.decide(place, file.name, access));
    for (const file of files) {
      // The last file commits with the response to an idempotency key.
      placed.push(await formUploads.place(file, place, decided.get(file)!, access, { apart: left.size > 1 }));
      left.delete(file);
    }
  } catch (error) {
    for (const file of left) await formUploads.discard(file);
    throw error;
  }
  return placed;
}

/** @throws 400 */
function targetOf(query: UploadFormQuery, fields: z.infer<typeof FormTargets>): FormTarget {
  const namespaces = fields._namespaces ?? query._namespaces;
  if (!namespaces) {
    throw commonErrors.badRequest({ details: [{ location: 'body._namespaces', message: 'is required' }] });
  }
  const tags = fields._tags ?? query._tags;
  return {
    context: query.nsfilter,
    namespaces,
    parents: fields._parents ?? query._parents ?? [],
    tags: tags?.length ? tags : undefined,
  };
}

type FormContext = Pick<RequestContext<unknown, UploadFormQuery>, 'req' | 'res' | 'query' | 'access'>;

/** Equal for equal forms, whatever their boundaries. */
const digestOf = ({ req }: Pick<RequestContext, 'req'>, parts: string[], fields: FormFields): string =>
  newHash()
    .update(JSON.stringify([req.headers['content-encoding'] ?? '', parts, fields]))
    .digest('base64url');

/** The stream to read a file's bytes from. `digest` is valid once they are read. */
function digested(file: IncomingFile) {
  const hash = newHash();
  const stream = Readable.from(updating(hash, file.stream), { objectMode: false });
  return { stream, digest: () => JSON.stringify([file.name, file.contentType ?? '', hash.digest('base64url')]) };
}

/**
 * Digests a repeated form without storing it.
 * @throws like the upload
 */
export const digestForm =
  ({ formUploads, bodies }: Parts) =>
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
