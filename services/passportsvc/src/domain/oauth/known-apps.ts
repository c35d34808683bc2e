import { App } from '../apps/app.js';
import type { AppStore } from '../apps/ports.js';
import { cached } from './cached.js';
import type { OnLookup } from './cached.js';

/** Finds an app; the same object for as long as it is cached. */
export type FindApp = (id: string) => Promise<App | undefined>;

export const createKnownApps = (appStore: AppStore, onLookup?: OnLookup): FindApp =>
  cached(async (id) => (App.shape._id.safeParse(id).success ? appStore.find(id) : undefined), onLookup);
