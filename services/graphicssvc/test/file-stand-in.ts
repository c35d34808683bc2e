import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { GRAPHICS_TAG } from '@dtplatform/contracts';

const SERVICE_TOKEN = 'the-token-of-the-service';
const CHUNK_BYTES = 64 * 1024;
const VERSION = /^\/filesvc\/api\/v1\/files\/(\w+)\/versions\/(\w+)(\/content)?$/;

export interface StandInFile {
  id: string;
  versionId: string;
  /** Versions before the tip. */
  olderIds: string[];
  content: Buffer;
  tags: string[];
  namespaces: string[];
  readers: string[];
  contentType: string;
  contentEncoding?: string;
  type: 'file' | 'dir';
  isComplete: boolean;
}

/** What goes wrong with the next downloads, in order. */
type Fault = 'unavailable' | 'cut' | 'hang' | 'gone';

/**
 * A stand-in for filesvc and the token endpoint: files in memory, each readable by some users and by the service. It is an
 * HTTP server, so that streaming and cut connections behave as in production.
 */
export async function startFileStandIn() {
  const files = new Map<string, StandInFile>();
  const faults: Fault[] = [];
  const downloads: string[] = [];
  const askedVersions: string[] = [];
  const contents = new Map<string, Buffer>();
  let lastId = 0;

  const server = createServer((req, res) => void answer(req, res).catch(() => res.destroy()));
  server.on('clientError', () => undefined);

  async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const url = new URL(req.url!, 'http://files');
    if (url.pathname === '/token') return void json(res, 200, { access_token: SERVICE_TOKEN, expires_in: 3600 });
    const [, fileId, versionId, content] = VERSION.exec(url.pathname) ?? [];
    if (content) return download(req, res, fileId!, versionId!);
    if (versionId) return void describeVersion(req, res, fileId!, versionId);
    if (url.pathname !== '/filesvc/api/v1/files') return void json(res, 404, {});
    const ids = url.searchParams.get('_ids')!.split(',');
    const found = ids.map((each) => files.get(each)).filter((file) => file && mayRead(req, file));
    return void json(res, 200, { _list: found.map((file) => summaryOf(file!)), _total: found.length });
  }

  function describeVersion(req: IncomingMessage, res: ServerResponse, fileId: string, versionId: string): void {
    askedVersions.push(versionId);
    const content = contentOf(req, files.get(fileId), versionId);
    if (content) json(res, 200, { _id: versionId, _fileId: fileId, _fileSize: content.length });
    else json(res, 404, { code: 'NOT_FOUND' });
  }

  /** The content of a version that the file has and the caller may read. */
  function contentOf(req: IncomingMessage, file: StandInFile | undefined, versionId: string): Buffer | undefined {
    if (!file || !mayRead(req, file)) return undefined;
    if (file.versionId === versionId) return file.content;
    return file.olderIds.includes(versionId) ? contents.get(versionId) : undefined;
  }

  async function download(req: IncomingMessage, res: ServerResponse, id: string, versionId: string): Promise<void> {
    const file = files.get(id);
    const content = contentOf(req, file, versionId);
    if (!file || !content) return void json(res, 404, { code: 'NOT_FOUND' });
    downloads.push(id);
    const fault = faults.shift();
    if (fault === 'unavailable') return void json(res, 503, { code: 'UNAVAILABLE' });
    if (fault === 'gone') return void json(res, 404, { code: 'NOT_FOUND' });
    res.writeHead(200, {
      'content-type': file.contentType,
      'content-length': content.length,
      etag: `"${versionId}"`,
      ...(file.contentEncoding ? { 'content-encoding': file.contentEncoding } : {}),
    });
    if (fault === undefined) return pipeline(Readable.from(chunks(content)), res);
    const half = content.subarray(0, content.length / 2);
    await pipeline(Readable.from(chunks(half)), res, { end: false });
    if (fault === 'cut') res.destroy();
    // The reader must end a download that hangs.
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  return {
    environment: { FILESVC_URL: url, TOKEN_URL: `${url}/token` },
    faults,
    /** Ids of the files whose content was requested. */
    downloads,
    /** Ids of the versions that were asked for. */
    askedVersions,
    add(file: Partial<StandInFile> = {}): StandInFile {
      const added: StandInFile = {
        id: newId(),
        versionId: newId(),
        olderIds: [],
        content: Buffer.from('a small model'),
        tags: [GRAPHICS_TAG],
        namespaces: ['tower_1'],
        readers: ['olga'],
        contentType: 'model/ifc',
        type: 'file',
        isComplete: true,
        ...file,
      };
      files.set(added.id, added);
      return added;
    },
    remove: (id: string) => files.delete(id),
    /** Gives a file a new version. */
    replace(file: StandInFile, content: Buffer): void {
      contents.set(file.versionId, file.content);
      Object.assign(file, { content, versionId: newId(), olderIds: [file.versionId, ...file.olderIds] });
    },
    /** Deletes a version before the tip. */
    removeVersion(file: StandInFile, versionId: string): void {
      file.olderIds = file.olderIds.filter((id) => id !== versionId);
    },
    /** Deletes the tip: the version before it is the tip again. */
    removeTip(file: StandInFile, before: Buffer): void {
      const [versionId, ...olderIds] = file.olderIds;
      Object.assign(file, { content: before, versionId, olderIds });
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };

  function newId(): string {
    lastId += 1;
    return `0123456789abcdef${lastId.toString(16).padStart(8, '0')}`;
  }
}

function mayRead(req: IncomingMessage, { readers }: StandInFile): boolean {
  const token = /^Bearer (.+)$/.exec(req.headers.authorization ?? '')![1]!;
  return token === SERVICE_TOKEN || readers.includes(subjectOf(token));
}

const subjectOf = (token: string): string =>
  (JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as { sub: string }).sub;

function summaryOf({ id, versionId, content, tags, namespaces, type, isComplete }: StandInFile) {
  const version = { _tipId: versionId, _fileVersion: { _id: versionId, _fileSize: content.length, _version: 1 } };
  return {
    _id: id,
    _name: 'model.ifc',
    _type: type,
    _namespaces: namespaces,
    _tags: tags,
    ...(isComplete ? version : {}),
  };
}

function* chunks(content: Buffer): Generator<Buffer> {
  for (let at = 0; at < content.length; at += CHUNK_BYTES) yield content.subarray(at, at + CHUNK_BYTES);
}

function json(res: ServerResponse, status: number, body: object): void {
  res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
