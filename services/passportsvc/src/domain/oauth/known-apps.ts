import { LRUCache } from 'lru-cache';
import { App } from '../apps/app.js';
import type { AppStore } from '../apps/ports.js';

/** Finds an app; the same object for as long as it is cached. */
export type FindApp = (id: string) => Promise<App | undefined>;

const MAX_APPS = 10_000;
/** How long a change to an app may go unnoticed. Whatever removes an app must refuse its tokens for at least this long. */
const MAX_AGE_MS = 3000;

export function createKnownApps(appStore: AppStore): FindApp {
  const cache = new LRUCache<string, App>({ max: MAX_APPS, ttl: MAX_AGE_MS, ttlResolution: 100 });

  return async (id) => {
    if (!App.shape._id.safeParse(id).success) return undefined;
    const cached = cache.get(id);
    if (cached) return cached;
    const app = await appStore.find(id);
    if (app) cache.set(id, app);
    return app;
  };
}
