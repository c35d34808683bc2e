import type { Client } from '@dtplatform/sdk';
import { find } from './dom.js';

const SCREENS = { 'sign-in': 'Sign in', workspaces: 'Workspaces', files: 'Files', items: 'Items' };
export type Screen = keyof typeof SCREENS;

export function showScreen(name: Screen): void {
  for (const each of Object.keys(SCREENS)) find(`#${each}`, HTMLElement).hidden = each !== name;
  find('header', HTMLElement).hidden = name === 'sign-in';
  document.title = `${SCREENS[name]} – Files & items`;
}

/** The location of the user: `#/<namespace>/<screen>/<id>`, so that links, reloads and the Back button work. */
export interface Place {
  namespace: string;
  screen: 'files' | 'items';
  /** Of the open folder or item. */
  id?: string;
}

export function placeOf(hash: string): Partial<Place> {
  try {
    const [, namespace, screen, id] = hash.split('/').map(decodeURIComponent);
    return { namespace, screen: screen === 'items' ? 'items' : 'files', id };
  } catch {
    // For example a truncated link.
    return {};
  }
}

export const hashOf = ({ namespace, screen, id }: Place): string =>
  `#/${[namespace, screen, ...(id === undefined ? [] : [id])].map(encodeURIComponent).join('/')}`;

/** An open screen. */
export interface Visit extends Omit<Place, 'screen'> {
  /** Bound to the namespace. */
  client: Client;
  /** Aborts when the user leaves. */
  signal: AbortSignal;
}
