import type { IncomingMessage, ServerResponse } from 'node:http';
import { MethodNotAllowed, sendError } from './errors.js';
import type { Route } from './routes.js';

/** The page loads nothing and cannot be framed. */
const SECURITY_HEADERS = {
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
};

export function sendHomePage(req: IncomingMessage, res: ServerResponse, routes: readonly Route[]): void {
  if (req.method !== 'GET' && req.method !== 'HEAD') return sendError(req, res, MethodNotAllowed);
  const bytes = Buffer.from(homePage(routes.filter(({ openApi }) => openApi !== undefined)));
  res.writeHead(200, {
    ...SECURITY_HEADERS,
    'content-type': 'text/html; charset=utf-8',
    'content-length': bytes.length,
  });
  res.end(req.method === 'HEAD' ? undefined : bytes);
}

const homePage = (routes: readonly Route[]) => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>dtplatform</title>
<style>
  body { font: 16px/1.5 -apple-system, 'Segoe UI', Roboto, sans-serif; max-width: 44rem; margin: 3rem auto; padding: 0 1rem; color: #1d2733 }
  code { background: #eef1f5; padding: .1em .3em; border-radius: 3px }
  td { padding: .15rem 1.5rem .15rem 0 }
</style>
<h1>dtplatform</h1>
<p>The platform is running. Start with its <a href="/docs/">documentation</a>, or send calls from
the <a href="/docs/reference/">API reference</a>.</p>
<table>
${routes.map(row).join('\n')}
</table>
<p>The bootstrap application, the administrator and their secrets are in <code>.dtplatform/dev.json</code>.</p>
</html>
`;

const row = ({ prefix, service, openApi, upstreamPort }: Route): string =>
  `<tr><td><code>${prefix}</code><td>${service}<td>${upstreamPort() === undefined ? 'is starting' : `<a href="${openApi}">openapi.json</a>`}`;
