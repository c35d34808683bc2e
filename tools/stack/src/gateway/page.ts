import type { IncomingMessage, ServerResponse } from 'node:http';
import { MethodNotAllowed, sendError } from './errors.js';

/** A page loads nothing but the icon, and cannot be framed. */
const HEADERS = {
  'content-security-policy': "default-src 'none'; img-src 'self'; style-src 'unsafe-inline'; frame-ancestors 'none'",
  'content-type': 'text/html; charset=utf-8',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
};

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
export const escapeHtml = (text: string): string => text.replace(/[&<>"]/g, (character) => ESCAPES[character]!);

/** Sends a page of the local stack. `content` is HTML. */
export function sendPage(req: IncomingMessage, res: ServerResponse, title: string, content: string): void {
  if (req.method !== 'GET' && req.method !== 'HEAD') return sendError(req, res, MethodNotAllowed);
  const bytes = Buffer.from(page(title, content));
  res.writeHead(200, { ...HEADERS, 'content-length': bytes.length });
  res.end(req.method === 'HEAD' ? undefined : bytes);
}

const page = (title: string, content: string) => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<link rel="icon" href="/console/icon.svg">
<title>${title}</title>
<style>
  :root { color-scheme: light dark }
  body { font: 16px/1.5 -apple-system, 'Segoe UI', Roboto, sans-serif; max-width: 52rem; margin: 3rem auto; padding: 0 1rem }
  ul.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(15rem, 1fr)); gap: .75rem; padding: 0; list-style: none }
  ul.cards li { border: 1px solid #8888; border-radius: 6px; padding: .75rem 1rem }
  ul.cards a { font-weight: 600; display: block }
  td { padding: .15rem 1.5rem .15rem 0 }
  pre { white-space: pre-wrap; overflow-wrap: anywhere }
  a { color: light-dark(#1864ab, #74c0fc) }
</style>
<main>
<h1>${title}</h1>
${content}
</main>
</html>
`;
