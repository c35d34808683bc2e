import { LRUCache } from 'lru-cache';
import { APP_ID } from '../domain/app.js';
import type { App } from '../domain/app.js';
import type { AppStore } from '../domain/ports.js';

/** Finds an app; the same object for as long as it is remembered. */
export type FindApp = (id: string) => Promise<App | undefined>;

const CACHED_APPS = 10_000;
/** How long a change of an app may stay unnoticed. Whoever ends an app must refuse its tokens for so long. */
const MAX_AGE_MS = 3000;

export function createKnownApps(apps: AppStore): FindApp {
  const cached = new LRUCache<string, App>({ max: CACHED_APPS, ttl: MAX_AGE_MS, ttlResolution: 100 });

  return async (id) => {
    if (!APP_ID.test(id)) return undefined;
    const known = cached.get(id);
    if (known) return known;
    const app = await apps.find(id);
    if (app) cached.set(id, app);
    return app;
  };
}
