import { createReadStream, readdirSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import path from 'node:path';
import type { Request, Response } from 'express';
import { header, optionalHeader, route, routes } from '@dtplatform/http';
import type { RouteResponse, ResponseSpec, RequestContext, RouteTable } from '@dtplatform/http';

/** A file of the documentation site. */
interface SiteFile {
  file: string;
  contentType: string;
  bytes: number;
  /** The same file, compressed with gzip. */
  compressed?: { file: string; bytes: number };
}

type SiteFiles = ReadonlyMap<string, SiteFile>;

const TYPES: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
};

/**
 * The files of a site by the path of their URL: `index.html` of a folder by the path of the folder with a slash at its end, other
 * pages without `.html`.
 * @throws for a file of an unknown type
 */
export function findSiteFiles(folder: URL, base: string): SiteFiles {
  const root = fileURLToPath(folder);
  const names = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => path.extname(name) !== '');
  const compressed = new Set(names.filter((name) => name.endsWith('.gz')));
  return new Map(
    names
      .filter((name) => !compressed.has(name))
      .map((name) => [urlPath(name, base), siteFile(root, name, compressed.has(`${name}.gz`))]),
  );
}

function urlPath(name: string, base: string): string {
  const url = `${base}/${name.split(path.sep).join('/')}`;
  return url.replace(/\/index\.html$/, '/').replace(/\.html$/, '');
}

function siteFile(root: string, name: string, isCompressed: boolean): SiteFile {
  const file = path.join(root, name);
  const contentType = TYPES[path.extname(name)];
  if (contentType === undefined) throw new Error(`The documentation has a file of an unknown type: ${name}`);
  const sized = (each: string) => ({ file: each, bytes: statSync(each).size });
  return { ...sized(file), contentType, ...(isCompressed ? { compressed: sized(`${file}.gz`) } : {}) };
}

const BASE = '/docs';
/** The names of assets contain a hash of their content. */
const ASSETS = `${BASE}/assets/`;
const NOT_FOUND = `${BASE}/404`;

/** Everything comes from the site itself. The colours of code are attributes, which can load nothing. */
const POLICY = [
  "default-src 'self'",
  "style-src 'self'",
  "style-src-attr 'unsafe-inline'",
  "img-src 'self' data:",
  "object-src 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ');
/** Swagger UI adds style sheets while it runs. */
const SWAGGER_POLICY = POLICY.replace("style-src 'self'", "style-src 'self' 'unsafe-inline'");

const page: ResponseSpec = { contentType: 'text/html', description: 'A page, or what it loads.' };
const contentEncoding = optionalHeader('Content-Encoding', '`gzip` where the caller takes it.');
const location = header('Location', 'The folder, with a slash at its end.');

/**
 * Serves the built documentation site in a folder at `/docs`, without authentication.
 * Only files that are there at the start are served, each by the one path that it has.
 */
export function siteTables(folder: URL): RouteTable[] {
  const files = findSiteFiles(folder, BASE);
  const spec = {
    summary: 'Show the documentation.',
    auth: 'none' as const,
    responses: { 200: page, 308: null, 404: page },
    headers: { 200: [contentEncoding], 308: [location], 404: [contentEncoding] },
    handler: async ({ req, res }: RequestContext) => answer(files, req as Request, res as Response),
  };
  return [
    routes(BASE, [
      route.get('/', { operation: 'docs.home', ...spec }),
      route.get('/*path', { operation: 'docs.get', ...spec }),
    ]),
  ];
}

function answer(files: SiteFiles, req: Request, res: Response): RouteResponse {
  const path = req.originalUrl.split('?', 1)[0]!;
  const found = files.get(path);
  if (!found && files.has(`${path}/`)) return { status: 308, headers: { location: `${path}/` } };
  res.set({
    'content-security-policy': path.startsWith(`${BASE}/swagger/`) ? SWAGGER_POLICY : POLICY,
    'referrer-policy': 'no-referrer',
  });
  if (found)
    return sent(200, found, path.startsWith(ASSETS) ? 'public, max-age=31536000, immutable' : 'public, max-age=300');
  return sent(404, files.get(NOT_FOUND)!, 'no-store');

  function sent(status: number, file: SiteFile, caching: string): RouteResponse {
    if (file.compressed) res.vary('accept-encoding');
    const compressed = req.acceptsEncodings('gzip') ? file.compressed : undefined;
    const { file: name, bytes } = compressed ?? file;
    const headers = { 'content-type': file.contentType, 'content-length': bytes, 'cache-control': caching };
    const encoding = compressed && { 'content-encoding': 'gzip' };
    return { status, headers: { ...headers, ...encoding }, stream: createReadStream(name) };
  }
}
