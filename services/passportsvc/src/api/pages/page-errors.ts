import type { ErrorFormat } from '@dtplatform/http';
import { html } from './html.js';
import { messagePage, renderPage } from './page.js';

const TITLES: Record<number, string> = {
  404: 'Page not found',
  413: 'Too much was sent',
  429: 'Please wait a moment',
  503: 'Please try again later',
};

/** Errors of pages, for people. They get nothing but the message of the error's catalogue. */
export const pageErrors: ErrorFormat = {
  contentType: 'text/html; charset=utf-8',
  headers: renderPage(messagePage('', '')).headers,
  body: ({ status, message }, requestId) => {
    const title = TITLES[status] ?? (status >= 500 ? 'Something went wrong' : 'This cannot be done');
    const reference = html`<p class="reference">Reference: ${requestId}</p>`;
    return renderPage({ ...messagePage(title, message, reference), hasProblem: true }).body;
  },
};
