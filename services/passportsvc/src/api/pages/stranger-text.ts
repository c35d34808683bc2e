import { html } from './html.js';
import type { Html } from './html.js';

/** A name that comes from a stranger: `bdi` keeps its text direction from changing the sentence around it. */
export const strangerText = (text: string): Html => html`<strong><bdi>${text}</bdi></strong>`;

/** A destination (`destinationOf`) as users understand it. */
export const shownDestination = (destination: string): Html =>
  destination.endsWith(':')
    ? html`an app on this device that opens ${strangerText(destination)} links`
    : strangerText(destination);
