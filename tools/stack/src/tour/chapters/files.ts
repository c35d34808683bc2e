import { createHash, randomBytes } from 'node:crypto';
import { breakOffPatch } from '../http/break-off.js';
import { FILES, type Page } from '../http/paths.js';
import { facadeImage } from '../input/facade-image.js';
import { expect, type Tour } from '../tour.js';
import type { Person } from './people.js';

const MIB = 1024 * 1024;
const MODEL_BYTES = 20 * MIB;
const PART_BYTES = 8 * MIB;

export interface FileRecord {
  _id: string;
  _irn: string;
  _name: string;
  _status: string;
  _tipId: string;
  _fileVersion?: { _id: string; _fileSize: number };
  /** Present in lists with `withUrl`. */
  _url?: string;
}

export interface StoredFile {
  record: FileRecord;
  content: Buffer;
}

/** Uploads 20 MB to a folder, in parts over a connection that breaks, and an image in one request. */
export async function storeFiles(tour: Tour, owner: Person, namespace: string) {
  const content = randomBytes(MODEL_BYTES);
  const folder = await tour.step('A folder is created', async () => {
    const query = { _name: 'Models', _namespaces: namespace, nsfilter: namespace };
    return (await owner.call<FileRecord>('POST', FILES, { query })).body;
  });
  const record = await uploadInParts(tour, owner, { namespace, folderId: folder._id, content });
  await download(tour, owner, namespace, { record, content });
  const image = await uploadImage(tour, owner, namespace);
  return { model: { record, content }, image };
}

/** Initiate, PATCH, break, HEAD, PATCH to the end (docs/contract.md, "Resumable upload"). */
async function uploadInParts(
  tour: Tour,
  owner: Person,
  { namespace, folderId, content }: { namespace: string; folderId: string; content: Buffer },
): Promise<FileRecord> {
  const checksum = `sha256:${sha256(content)}`;
  const resumable = { uploadType: 'resumable', nsfilter: namespace };

  const { _id } = await tour.step('The resumable upload of a model of 20 MB is initiated', async () => {
    const json = {
      _name: `campus-${tour.mark}.ifc`,
      _uploadMeta: { _size: content.length, _checksum: checksum },
      _namespaces: [namespace],
      _parents: [folderId],
      _tags: ['model'],
    };
    const { body } = await owner.call<FileRecord>('POST', FILES, { query: resumable, json, expect: 201 });
    expect('_status', body._status, 'UPLOAD_INITIATED');
    return body;
  });
  const path = `${FILES}/${_id}`;
  const query = { ...resumable, checksum };
  const offset = async () => {
    const { headers } = await owner.call('HEAD', path, { query: resumable });
    return Number(headers.get('upload-offset'));
  };
  const sendPart = (from: number) =>
    owner.call<FileRecord>('PATCH', path, { query, body: content.subarray(from, from + PART_BYTES) });

  await tour.step('Its first 8 MB are sent', async () => {
    await sendPart(0);
    expect('the offset', await offset(), PART_BYTES);
  });
  await tour.step('The connection breaks in the middle of the second part', async () => {
    const body = content.subarray(PART_BYTES, 2 * PART_BYTES);
    await breakOffPatch(owner.url(path, query), { token: owner.token, body, bytes: PART_BYTES - MIB });
    await tour.eventually('the upload is UPLOAD_INTERRUPTED', async () => {
      const { body } = await owner.call<FileRecord>('GET', path, { query: { nsfilter: namespace } });
      return (await offset()) > PART_BYTES && body._status === 'UPLOAD_INTERRUPTED' ? body : undefined;
    });
  });
  return tour.step('It is resumed where it stopped, and completed', async () => {
    const kept = await offset();
    if (kept >= 2 * PART_BYTES) throw new Error(`the offset is ${kept}, which is more than was sent`);
    let last: FileRecord | undefined;
    for (let from = kept; from < content.length; from = await offset()) last = (await sendPart(from)).body;
    expect('_status', last?._status, 'UPLOAD_COMPLETED');
    return last!;
  });
}

/** Downloads the file in both ways, and a range of it. */
async function download(tour: Tour, reader: Person, namespace: string, { record, content }: StoredFile) {
  const path = `${FILES}/${record._id}/content`;
  const query = { nsfilter: namespace };
  await tour.step('What comes back is what was sent (SHA-256 of the download)', async () => {
    expect('the SHA-256', await sha256OfBody(await reader.open('GET', path, { query })), sha256(content));
  });
  await tour.step('Also by its pre-signed URL, from the list (withUrl)', async () => {
    const listQuery = { ...query, _ids: record._id, withUrl: true };
    const { body } = await reader.call<Page<FileRecord>>('GET', FILES, { query: listQuery });
    const url = body._list[0]?._url;
    if (url === undefined) throw new Error('the entry of the list has no _url');
    const response = await fetch(url, { signal: tour.signal });
    expect('the SHA-256', await sha256OfBody(response), sha256(content));
  });
  await tour.step('A range of it can be read alone', async () => {
    const headers = { range: `bytes=${MIB}-${MIB + 999}` };
    const range = await reader.open('GET', path, { query, headers, expect: 206 });
    expect('the SHA-256', await sha256OfBody(range), sha256(content.subarray(MIB, MIB + 1000)));
  });
}

async function uploadImage(tour: Tour, owner: Person, namespace: string): Promise<StoredFile> {
  const content = facadeImage();
  return tour.step('An image is uploaded as a multipart form (PNG)', async () => {
    const name = `facade-${tour.mark}.png`;
    const record = await uploadForm(owner, namespace, { name, type: 'image/png', content });
    const response = await owner.open('GET', `${FILES}/${record._id}/content`, { query: { nsfilter: namespace } });
    expect('its content type', response.headers.get('content-type'), 'image/png');
    expect('the SHA-256', await sha256OfBody(response), sha256(content));
    return { record, content };
  });
}

/** One request with the whole file. */
export async function uploadForm(
  owner: Person,
  namespace: string,
  file: { name: string; type: string; content: Buffer; tags?: string },
): Promise<FileRecord> {
  const form = new FormData();
  form.set('_namespaces', namespace);
  if (file.tags !== undefined) form.set('_tags', file.tags);
  form.set('file', new Blob([new Uint8Array(file.content)], { type: file.type }), file.name);
  const call = { query: { nsfilter: namespace }, body: form, expect: 201 };
  const { body } = await owner.call<FileRecord[]>('POST', FILES, call);
  expect('_status', body[0]?._status, 'UPLOAD_COMPLETED');
  return body[0]!;
}

const sha256 = (content: Buffer): string => createHash('sha256').update(content).digest('hex');

async function sha256OfBody({ body }: Response): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of body ?? []) hash.update(chunk as Uint8Array);
  return hash.digest('hex');
}
