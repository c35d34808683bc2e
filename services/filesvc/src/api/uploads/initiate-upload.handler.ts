import type { IncomingHttpHeaders } from 'node:http';
import { created, mediaTypeOf } from '@dtplatform/http';
import type { Handler } from '@dtplatform/http';
import type { Deps } from '../../deps.js';
import type { File } from '../../domain/files/file.js';
import { contentTypeOf, encodingOf } from '../bodies/request-bodies.js';
import type { InitiateBody, UploadQuery } from './uploads.schemas.js';

/** Such a type describes the body of the request rather than the file. */
const isJson = (headers: IncomingHttpHeaders) => mediaTypeOf(headers['content-type']) === 'application/json';

/** POST /files?uploadType=resumable: starts an upload. */
export const initiateUpload =
  ({ uploads }: Deps): Handler<{ query: UploadQuery; body: InitiateBody }, File> =>
  async ({ query, body, access, req }) => {
    const file = await uploads.initiate(
      {
        context: query.nsfilter,
        name: body._name,
        namespaces: body._namespaces ?? [query.nsfilter],
        parents: body._parents,
        tags: body._tags?.length ? body._tags : undefined,
        size: body._uploadMeta._size,
        checksum: body._uploadMeta._checksum,
        contentType: contentTypeOf(body._name, isJson(req.headers) ? undefined : req.headers['content-type']),
        contentEncoding: encodingOf(req.headers),
      },
      access,
    );
    return created(file, { 'upload-offset': 0 });
  };
