import { html } from './html.js';

/**
 * The mark of the pages: a thing and its twin. It takes the theme's accent, and says nothing that the text does not say.
 */
export const mark = html`<svg class="mark" viewBox="4.5 1.5 35 42" fill="none" aria-hidden="true" focusable="false">
  <path d="M22 3 38 12v14" stroke="currentColor" stroke-width="2.5" stroke-linecap="round" stroke-linejoin="round" />
  <path d="M22 3 6 12v14" stroke="currentColor" stroke-width="2.5" stroke-linecap="round" stroke-linejoin="round" />
  <path d="m22 16 14 8-14 8-14-8Z" fill="currentColor" />
  <path
    d="m6 33 16 8.5 16-8.5"
    stroke="currentColor"
    stroke-width="2.5"
    stroke-linecap="round"
    stroke-linejoin="round"
  />
</svg>`;
