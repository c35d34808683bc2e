import { hashSecret } from '../domain/app-secret.js';
import { DEFAULT_GRANT_TYPES } from '../domain/app.js';
import type { App } from '../domain/app.js';
import { newNamespace } from '../domain/namespaces.js';

interface BootstrapApp {
  id: string;
  name: string;
  orgId: string;
  secret: string;
  redirectUris: string;
  trusted: boolean;
  accessTokenTtlSec?: number;
}

/** An app that the platform begins with. A trusted one needs no permissions. */
export function newApp(app: BootstrapApp, secretKey: Buffer): App {
  const now = Date.now();
  return {
    _id: app.id,
    _name: app.name,
    // Names of apps are unique, and an installation may bring several of these.
    _shortName: app.id,
    _orgId: app.orgId,
    _authorizedGrantTypes: DEFAULT_GRANT_TYPES,
    _redirectUris: app.redirectUris,
    _namespaces: [newNamespace('app')],
    _whitelistedApps: [],
    _metadata: { _createdAt: now, _updatedAt: now, _updatedById: 'platform' },
    _configs: {},
    _secretHash: hashSecret(app.secret, secretKey),
    _trusted: app.trusted,
    ...(app.accessTokenTtlSec === undefined ? {} : { _accessTokenTtlSec: app.accessTokenTtlSec }),
    ...(app.trusted ? {} : { _grantsPending: true }),
  };
}
