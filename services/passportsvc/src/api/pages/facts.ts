import { html } from './html.js';
import type { Html } from './html.js';

/** A row of a list of facts (`dl`). */
export const fact = (term: string, description: Html): Html =>
  html`<div>
    <dt>${term}</dt>
    <dd>${description}</dd>
  </div>`;
