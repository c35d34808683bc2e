import { App } from '../apps/app.js';
import type { AppStore } from '../apps/ports.js';
import { cached } from './cached.js';
import type { OnLookup } from './cached.js';
import type { Versions } from './ports.js';

/** Finds an app; the same object for as long as it is cached. */
export type FindApp = (id: string) => Promise<App | undefined>;

export function createKnownApps(appStore: AppStore, versions: Versions, onLookup?: OnLookup): FindApp {
  const find = cached({ kind: 'app', versions, find: (id) => appStore.find(id), onLookup });
  return async (id) => (App.shape._id.safeParse(id).success ? find(id) : undefined);
}
