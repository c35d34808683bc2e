import { hashSecret } from '../apps/app-secret.js';
import { DEFAULT_GRANT_TYPES } from '../apps/app.js';
import type { App } from '../apps/app.js';
import { newNamespace } from '../namespaces/new-namespace.js';

interface BootstrapApp {
  id: string;
  name: string;
  orgId: string;
  secret: string;
  redirectUris: string;
  trusted: boolean;
  accessTokenTtlSec?: number;
}

/** An app that the first start creates. Trusted apps need no permissions. */
export function newApp(app: BootstrapApp, secretKey: Buffer): App {
  const now = Date.now();
  return {
    _id: app.id,
    _name: app.name,
    // Short names are unique, names are not.
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
    _revision: 0,
    ...(app.accessTokenTtlSec === undefined ? {} : { _accessTokenTtlSec: app.accessTokenTtlSec }),
    ...(app.trusted ? {} : { _grantsPending: true }),
  };
}
