import { randomUUID } from 'node:crypto';
import { request } from 'undici';
import { content } from './content.js';

/** filesvc: POST, then PATCHes of this size, one by one (docs/contract.md, "Resumable upload"). */
export interface PatchTarget {
  kind: 'patches';
  url: string;
  token: string;
  namespace: string;
  patchBytes: number;
  /** The folder. Defaults to the root. */
  parent?: string;
}

/** A plain string that is compared, not computed: the references do not compute a checksum either. */
const CHECKSUM = 'bench';

export async function uploadByPatches(
  { url, token, namespace, patchBytes, parent = 'root' }: PatchTarget,
  bytes: number,
): Promise<void> {
  const headers = { authorization: `Bearer ${token}` };
  const query = `uploadType=resumable&nsfilter=${namespace}&checksum=${CHECKSUM}`;
  const files = `${url}/filesvc/api/v1/files`;
  const description = {
    _name: `${randomUUID()}.bin`,
    ...{ _namespaces: [namespace], _parents: [parent] },
    _uploadMeta: { _size: bytes, _checksum: CHECKSUM },
  };
  const initiated = await request(`${files}?${query}`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(description),
  });
  const response = await initiated.body.text();
  if (initiated.statusCode !== 201) throw new Error(`the POST answered ${initiated.statusCode}: ${response}`);
  const { _id } = JSON.parse(response) as { _id: string };
  for (let from = 0; from < bytes; from += patchBytes) {
    const length = Math.min(patchBytes, bytes - from);
    const patched = await request(`${files}/${_id}?${query}`, {
      method: 'PATCH',
      headers: { ...headers, 'content-length': String(length) },
      body: content(length),
      ...{ headersTimeout: 0, bodyTimeout: 0 },
    });
    const { _status } = (await patched.body.json()) as { _status?: string };
    const isLast = from + length === bytes;
    if (patched.statusCode !== 200 || (isLast && _status !== 'UPLOAD_COMPLETED'))
      throw new Error(`the PATCH at ${from} answered ${patched.statusCode}, the file is ${_status}`);
  }
}
