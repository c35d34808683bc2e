import { createHash, randomBytes } from 'node:crypto';
import { expect } from '@jest/globals';
import type { Person } from './people.js';
import { dev, send } from './platform.js';

export const FILES = '/filesvc/api/v1/files';

const sha256 = (content: Buffer): string => createHash('sha256').update(content).digest('hex');

/** Resumable uploads of one caller in one namespace. */
export function uploadsOf({ token }: Person, query: { nsfilter: string }) {
  const resumable = { ...query, uploadType: 'resumable' };
  const read = (id: string) => send('GET', `${FILES}/${id}`, { token, query });

  return {
    /** Initiates an upload. @returns its URL for tus clients */
    async initiate(content: Buffer) {
      const checksum = `sha256:${sha256(content)}`;
      const json = {
        _name: `${randomBytes(4).toString('hex')}.bin`,
        _uploadMeta: { _size: content.length, _checksum: checksum },
        _namespaces: [query.nsfilter],
      };
      const response = await send('POST', FILES, { token, query: resumable, json });
      expect(response).toMatchObject({ status: 201, body: { _status: 'UPLOAD_INITIATED' } });
      const id = response.body._id as string;
      const url = new URL(`${FILES}/${id}`, dev.baseUrl);
      url.search = new URLSearchParams({ ...resumable, checksum }).toString();
      return { id, url: url.href };
    },

    read,

    async offset(id: string): Promise<number> {
      const { headers } = await send('HEAD', `${FILES}/${id}`, { token, query: resumable });
      return Number(headers.get('upload-offset'));
    },

    async expectStored(id: string, content: Buffer): Promise<void> {
      const file = await read(id);
      expect(file.body).toMatchObject({ _status: 'UPLOAD_COMPLETED', _fileVersion: { _fileSize: content.length } });
      const url = new URL(`${FILES}/${id}/content?nsfilter=${query.nsfilter}`, dev.baseUrl);
      const stored = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
      expect(sha256(Buffer.from(await stored.arrayBuffer()))).toBe(sha256(content));
    },
  };
}
