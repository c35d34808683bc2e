import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { GRAPHICS_TAG } from '@dtplatform/contracts';

const SERVICE_TOKEN = 'the-token-of-the-service';
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

type Fault = 'unavailable' | 'cut' | 'hang' | 'gone';

/**
 * A stand-in for filesvc and the token endpoint, with files in memory. Each is readable by some users and by the service.
 */
export async function startFileStandIn() {
  const files = new Map<string, StandInFile>();
  const faults: Fault[] = [];
  const downloads: string[] = [];
  const askedVersions: string[] = [];
  const contents = new Map<string, Buffer>();
  let lastId = 0;

  const server = createServer(answer);
  server.on('clientError', () => undefined);

  function answer(req: IncomingMessage, res: ServerResponse): void {
    const url = new URL(req.url!, 'http://files');
    if (url.pathname === '/token') return json(res, 200, { access_token: SERVICE_TOKEN, expires_in: 3600 });
    const [, fileId, versionId, content] = VERSION.exec(url.pathname) ?? [];
    if (content) return download(req, res, fileId!, versionId!);
    if (versionId) return describeVersion(req, res, fileId!, versionId);
    if (url.pathname !== '/filesvc/api/v1/files') return json(res, 404, {});
    const ids = url.searchParams.get('_ids')!.split(',');
    const found = ids.map((each) => files.get(each)).filter((file) => file && mayRead(req, file));
    json(res, 200, { _list: found.map((file) => summaryOf(file!)), _total: found.length });
  }

  function describeVersion(req: IncomingMessage, res: ServerResponse, fileId: string, versionId: string): void {
    askedVersions.push(versionId);
    const content = contentOf(req, files.get(fileId), versionId);
    if (content) json(res, 200, { _id: versionId, _fileId: fileId, _fileSize: content.length });
    else json(res, 404, { code: 'NOT_FOUND' });
  }

  /** Undefined unless the file has the version and the caller may read it. */
  function contentOf(req: IncomingMessage, file: StandInFile | undefined, versionId: string): Buffer | undefined {
    if (!file || !mayRead(req, file)) return undefined;
    if (file.versionId === versionId) return file.content;
    return file.olderIds.includes(versionId) ? contents.get(versionId) : undefined;
  }

  function download(req: IncomingMessage, res: ServerResponse, id: string, versionId: string): void {
    const file = files.get(id);
    const content = contentOf(req, file, versionId);
    if (!file || !content) return json(res, 404, { code: 'NOT_FOUND' });
    downloads.push(id);
    const fault = faults.shift();
    if (fault === 'unavailable') return json(res, 503, { code: 'UNAVAILABLE' });
    if (fault === 'gone') return json(res, 404, { code: 'NOT_FOUND' });
    res.writeHead(200, {
      'content-type': file.contentType,
      'content-length': content.length,
      etag: `"${versionId}"`,
      ...(file.contentEncoding ? { 'content-encoding': file.contentEncoding } : {}),
    });
    if (fault === undefined) return void res.end(content);
    // The reader must end a download that hangs.
    res.write(content.subarray(0, content.length / 2), () => fault === 'cut' && res.destroy());
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  return {
    environment: { FILESVC_URL: url, TOKEN_URL: `${url}/token` },
    /** Of the next downloads, in order. */
    faults,
    /** Ids of the files whose content was requested. */
    downloads,
    /** Ids of the requested versions. */
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
    /** Deletes the tip. The version before it becomes the tip. */
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

function json(res: ServerResponse, status: number, body: object): void {
  res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
