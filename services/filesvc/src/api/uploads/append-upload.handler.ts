import type { IncomingHttpHeaders } from 'node:http';
import { commonErrors } from '@dtplatform/errors';
import { mediaTypeOf, ok } from '@dtplatform/http';
import type { Handler } from '@dtplatform/http';
import type { Deps } from '../../deps.js';
import type { File } from '../../domain/files/file.js';
import { lengthOf } from '../bodies/request-bodies.js';
import type { FileParams } from '../files/files.schemas.js';
import type { AppendQuery } from './uploads.schemas.js';

const TUS_BODY = 'application/offset+octet-stream';
const WHOLE_NUMBER = /^\d{1,15}$/;

/** PATCH /files/{id}?uploadType=resumable: appends bytes. The last bytes complete the file. */
export const appendUpload =
  ({ uploads, bodies }: Deps): Handler<{ params: FileParams; query: AppendQuery; resource: File }, File> =>
  async ({ req, query, resource, access }) => {
    assertTusForm(req.headers, query.checksum);
    const appending = {
      body: req,
      caller: access.principal.id,
      offset: offsetOf(req.headers),
      length: lengthOf(req.headers),
      checksum: query.checksum,
    };
    const { file, offset } = await bodies.during(req, () => uploads.append(resource, appending));
    return ok(file, { 'upload-offset': offset });
  };

/** tus 1.0, "PATCH": another content type is a 415. Clients without tus must send the checksum. */
function assertTusForm(headers: IncomingHttpHeaders, checksum: string | undefined): void {
  const isTus = headers['tus-resumable'] !== undefined;
  if (isTus && mediaTypeOf(headers['content-type']) !== TUS_BODY) throw commonErrors.unsupportedMediaType();
  if (!isTus && checksum === undefined) {
    throw commonErrors.badRequest({ details: [{ location: 'query.checksum', message: 'is required' }] });
  }
}

function offsetOf(headers: IncomingHttpHeaders): number | undefined {
  const offset = headers['upload-offset'];
  if (offset === undefined) return undefined;
  if (typeof offset !== 'string' || !WHOLE_NUMBER.test(offset)) {
    throw commonErrors.badRequest({ message: 'Upload-Offset must be a whole number.' });
  }
  return Number(offset);
}
