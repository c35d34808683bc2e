import { extname } from 'node:path';
import { lookup } from 'mime-types';

const UNKNOWN = 'application/octet-stream';
const JSON_TYPE = /^application\/json\b/i;
const MEDIA_TYPE = /^[\w!#$&^.+-]{1,127}\/[\w!#$&^.+-]{1,127}(\s*;[\x20-\x7e]*)?$/;

/**
 * The type of a file that is uploaded in a request of its own: the request's content-type, unless that speaks of the
 * JSON that began the upload; else what the name's extension says.
 */
export function contentTypeOf(name: string, declared: string | undefined): string {
  if (declared !== undefined && MEDIA_TYPE.test(declared) && !JSON_TYPE.test(declared)) return declared;
  return lookup(extname(name)) || UNKNOWN;
}
