import { html } from './html.js';
import type { Html } from './html.js';

const FORMAT = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' });

export const timeText = (epochMs: number): string => `${FORMAT.format(epochMs)} UTC`;

export const timeOf = (epochMs: number): Html =>
  html`<time datetime="${new Date(epochMs).toISOString()}">${timeText(epochMs)}</time>`;
