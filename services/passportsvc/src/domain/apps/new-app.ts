import { newNamespace } from '../namespaces/new-namespace.js';
import { hashSecret } from './app-secret.js';
import { DEFAULT_GRANT_TYPES } from './app.js';
import type { App } from './app.js';

export type NewApp = Pick<App, '_id' | '_name' | '_shortName' | '_orgId' | '_redirectUris'> &
  Partial<App> & { secret: string; createdById: string };

/** Completes an app with a namespace of its own and the stored form of its secret. */
export function newApp({ secret, createdById, ...app }: NewApp, secretKey: Buffer): App {
  const now = Date.now();
  return {
    _authorizedGrantTypes: DEFAULT_GRANT_TYPES,
    _namespaces: [newNamespace(app._shortName)],
    _whitelistedApps: [],
    _metadata: { _createdAt: now, _updatedAt: now, _updatedById: createdById },
    _configs: {},
    _secretHash: hashSecret(secret, secretKey),
    _trusted: false,
    _revision: 0,
    ...app,
  };
}
