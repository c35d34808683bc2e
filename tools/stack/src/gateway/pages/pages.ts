import type { IncomingMessage, ServerResponse } from 'node:http';
import { MethodNotAllowed, sendError } from '../errors.js';
import type { Route } from '../routes.js';
import { docsPages } from './docs.js';
import { homePage } from './home.js';
import type { PageContent } from './page-content.js';

export type Page = (req: IncomingMessage, res: ServerResponse) => void;

/** The pages load nothing from other hosts and cannot be framed. */
const SECURITY_HEADERS = {
  'content-security-policy':
    "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
};

/** The gateway's own pages by path. */
export function gatewayPages(routes: readonly Route[]): (path: string) => Page | undefined {
  const pages: Record<string, PageContent> = { '/': homePage(routes), ...docsPages(routes) };
  return (path) => {
    if (path === '/docs') return redirectTo('/docs/');
    const content = Object.hasOwn(pages, path) ? pages[path] : undefined;
    return content && ((req, res) => sendPage(req, res, content));
  };
}

const redirectTo =
  (location: string): Page =>
  (_req, res) =>
    void res.writeHead(308, { location }).end();

function sendPage(req: IncomingMessage, res: ServerResponse, { type, body }: PageContent): void {
  if (req.method !== 'GET' && req.method !== 'HEAD') return sendError(req, res, MethodNotAllowed);
  const bytes = Buffer.from(body());
  res.writeHead(200, { ...SECURITY_HEADERS, 'content-type': type, 'content-length': bytes.length });
  res.end(req.method === 'HEAD' ? undefined : bytes);
}
