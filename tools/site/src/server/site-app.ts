import { createReadStream, readFileSync } from 'node:fs';
import type { Express, Request, Response } from 'express';
import type { Registry } from 'prom-client';
import { createHttpApp, header, optionalHeader, route, routes } from '@dtplatform/http';
import type { RequestContext, ResponseSpec, RouteResponse, RouteTable } from '@dtplatform/http';
import type { Logger } from '@dtplatform/logging';
import { findSiteFiles } from './site-files.js';
import type { SiteFile, SiteFiles } from './site-files.js';

const BASE = '/docs';
const CONSOLE = '/console';
const PACKAGES = '/packages';
/** The page that lists the packages. */
const PACKAGES_PAGE = `${BASE}${PACKAGES}/`;
/** Names of assets contain a hash of the content. */
const ASSETS = /^\/(docs|console)\/assets\//;
const NOT_FOUND = `${BASE}/404`;

/** Everything is loaded from the site. */
const POLICY = [
  "default-src 'self'",
  "style-src 'self'",
  "object-src 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
];
/** Syntax highlighting uses style attributes, which cannot load anything. */
const DOCS_POLICY = [...POLICY, "style-src-attr 'unsafe-inline'", "img-src 'self' data:"].join('; ');
/** Stored images are shown from memory, and PDF files in a frame. */
const CONSOLE_POLICY = [...POLICY, "img-src 'self' data: blob:", 'frame-src blob:', "worker-src 'self' blob:"].join(
  '; ',
);

const contentEncoding = optionalHeader('Content-Encoding', '`gzip` where the caller takes it.');
const location = header('Location', 'The address of the page.');
const file: ResponseSpec = { contentType: '*/*', description: 'A page, or what it loads.' };

export interface SiteOptions {
  /**
   * What the build writes: `pages`, served at `/docs`, `console`, `packages`, `reference`, whose API descriptions are
   * served at the root, and `redirects.json`, pages by the addresses below `/docs/` that lead to them.
   */
  content: URL;
  log: Logger;
  baseUrl?: string;
  registry?: Registry;
}

/** Serves the files that exist at the start, each at a single path, without authentication. */
export function createSiteApp({ content, ...options }: SiteOptions): Express {
  const filesIn = (folder: string, base: string) => findSiteFiles(new URL(`${folder}/`, content), base);
  const descriptions = filesIn('reference', '');
  const files = new Map([
    ...[...filesIn('pages', BASE), ...filesIn('packages', PACKAGES), ...filesIn('console', CONSOLE)],
    ...descriptions,
  ]);
  const redirects = readFileSync(new URL('redirects.json', content), 'utf8');
  const guesses = Object.entries(JSON.parse(redirects) as Record<string, string>);
  const site = { files, redirects: new Map(guesses.map(([guess, page]) => [`${BASE}/${guess}`, `${BASE}/${page}`])) };
  return createHttpApp({
    mounts: [{ prefix: '/', tables: siteTables(site, [...descriptions.keys()]) }],
    authenticate: () => Promise.reject(new Error('The site has no callers.')),
    // The descriptions are public, and pages of other origins read them.
    isAllowedOrigin: async () => true,
    ...options,
  });
}

interface Site {
  files: SiteFiles;
  redirects: ReadonlyMap<string, string>;
}

function siteTables(site: Site, descriptions: string[]): RouteTable[] {
  const spec = {
    summary: 'Show the documentation.',
    auth: 'none' as const,
    responses: { 200: file, 308: null, 404: file },
    headers: { 200: [contentEncoding], 308: [location], 404: [contentEncoding] },
    handler: async ({ req, res }: RequestContext) => respond(site, req as Request, res as Response),
  };
  const folder = (base: string) => {
    const name = base.slice(1);
    return routes(base, [
      route.get('/', { operation: `${name}.home`, ...spec }),
      route.get('/*path', { operation: `${name}.get`, ...spec }),
    ]);
  };
  return [
    ...[BASE, CONSOLE, PACKAGES].map(folder),
    ...descriptions.map((path) => routes(path, [route.get('/', { operation: 'descriptions.get', ...spec })])),
  ];
}

function respond({ files, redirects }: Site, req: Request, res: Response): RouteResponse {
  const path = req.originalUrl.split('?', 1)[0]!;
  const found = files.get(path) ?? consolePage(path, files);
  const location = found ? undefined : pageFor(path, files, redirects);
  if (location !== undefined) return { status: 308, headers: { location } };
  const policy = path.startsWith(`${CONSOLE}/`) ? CONSOLE_POLICY : DOCS_POLICY;
  res.set({ 'content-security-policy': policy, 'referrer-policy': 'no-referrer' });
  if (found) return send(200, found, cachingOf(path, found));
  return send(404, files.get(NOT_FOUND)!, 'no-store');

  function send(status: number, file: SiteFile, caching: string): RouteResponse {
    if (file.compressed) res.vary('accept-encoding');
    const compressed = req.acceptsEncodings('gzip') ? file.compressed : undefined;
    const { file: name, bytes } = compressed ?? file;
    const headers = { 'content-type': file.contentType, 'content-length': bytes, 'cache-control': caching };
    const encoding = compressed && { 'content-encoding': 'gzip' };
    return { status, headers: { ...headers, ...encoding }, stream: createReadStream(name) };
  }
}

/** A page of the console names assets that the next release may not have. */
function cachingOf(path: string, { contentType }: SiteFile): string {
  if (ASSETS.test(path)) return 'public, max-age=31536000, immutable';
  const isConsolePage = path.startsWith(CONSOLE) && contentType.startsWith('text/html');
  return isConsolePage ? 'no-cache' : 'public, max-age=300';
}

/** The console has one page, which shows what the rest of the path names. */
function consolePage(path: string, files: SiteFiles): SiteFile | undefined {
  const isPage = path.startsWith(`${CONSOLE}/`) && !path.includes('.');
  return isPage ? files.get(`${CONSOLE}/`) : undefined;
}

/** The page that a reader who asks for an unknown path is looking for. */
function pageFor(path: string, files: SiteFiles, redirects: Site['redirects']): string | undefined {
  const bare = path.replace(/(\.html|\/)$/, '');
  if (bare === PACKAGES) return PACKAGES_PAGE;
  return [`${bare}/`, bare].find((page) => files.has(page)) ?? redirects.get(bare);
}
