import { html } from './html.js';
import type { Page } from './page.js';

/** A page with a single message. */
export const messagePage = (title: string, message: string, theme?: string): Page => ({
  title,
  theme,
  content: html`<h1>${title}</h1>
    <p>${message}</p>`,
});
