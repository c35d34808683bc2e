import type { ServerResponse } from 'node:http';
import { header, ok } from '@dtplatform/http';
import type { ErrorFormat, RouteResponse } from '@dtplatform/http';
import { html, mark } from './html.js';
import type { Html } from './html.js';
import { styleOf } from './themes/themes.js';

export const FORM = 'application/x-www-form-urlencoded';

export const redirectTo = (where: string) => header('Location', where);

export interface Page {
  title: string;
  content: Html;
  theme?: string;
  /** Reports a problem; the title begins with that. */
  hasProblem?: boolean;
  isWide?: boolean;
  /**
   * Where redirects after submitting the form may end, besides this service: browsers check every redirect. An origin,
   * or the custom scheme of a mobile app.
   */
  formTarget?: string;
}

export const messagePage = (title: string, message: string, more: Html | string = '', theme?: string): Page => ({
  title,
  theme,
  content: html`<h1>${title}</h1>
    <p>${message}</p>
    ${more}`,
});

/** A complete page with its headers, without scripts or external resources. */
export function renderPage({ title, content, theme, hasProblem, isWide, formTarget }: Page) {
  const { css, source } = styleOf(theme);
  const { html: body } = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>${hasProblem ? 'Error: ' : ''}${title}</title>
        ${{ html: `<style>${css}</style>` }}
      </head>
      <body>
        <main${isWide ? { html: ' class="wide"' } : ''}>${mark} ${content}</main>
      </body>
    </html> `;
  const policy = [
    "default-src 'none'",
    `style-src ${source}`,
    `form-action 'self'${formTarget ? ` ${formTarget}` : ''}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ];
  return {
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': policy.join('; '),
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
    },
    body,
  };
}

export const pageThat = (says: string) => ({ contentType: 'text/html', description: `A page that ${says}.` });
export const pageResponse = { contentType: 'text/html', description: 'A page.' };

export function sendPage(res: ServerResponse, status: number, page: Page): RouteResponse {
  const { headers, body } = renderPage(page);
  res.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) }).end(body);
  return ok(undefined);
}

/** Redirects after a submitted form: browsers fetch the location with GET. */
export function sendRedirect(res: ServerResponse, location: string): RouteResponse {
  res.writeHead(303, { location, 'cache-control': 'no-store', 'content-length': 0 }).end();
  return ok(undefined);
}

const TITLES: Record<number, string> = {
  404: 'Page not found',
  413: 'Request too large',
  429: 'Please wait a moment',
  503: 'Please try again later',
};

/** Errors of pages. Shows only the message of the error catalogue. */
export const pageErrors: ErrorFormat = {
  contentType: 'text/html; charset=utf-8',
  headers: renderPage(messagePage('', '')).headers,
  body: ({ status, message }, requestId) => {
    const title = TITLES[status] ?? (status >= 500 ? 'Something went wrong' : 'This is not possible');
    const reference = html`<p class="reference">Reference: ${requestId}</p>`;
    return renderPage({ ...messagePage(title, message, reference), hasProblem: true }).body;
  },
};
