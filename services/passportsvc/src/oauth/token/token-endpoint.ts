import { secretMatches } from '../../domain/app-secret.js';
import { entriesOf } from '../../domain/app.js';
import type { App } from '../../domain/app.js';
import { errors } from '../../errors.js';
import type { FindApp } from '../known-apps.js';
import { isAcceptedScope } from '../scopes.js';
import { authorizationCodeGrant } from './authorization-code.grant.js';
import { formDecoded } from './basic-credentials.js';
import { clientCredentialsGrant } from './client-credentials.grant.js';
import type { Grant, GrantDeps } from './grant.js';
import { refreshTokenGrant } from './refresh-token.grant.js';
import type { TokenReply } from './token-reply.js';
import type { TokenRequest } from './token-request.js';

export interface TokenEndpoint {
  /** The app that asks. A secret must be right; without one the app is a public client. @throws invalid_client */
  authenticate(request: TokenRequest): Promise<App>;
  /** @throws unsupported_grant_type, unauthorized_client, invalid_scope, and those of the grant */
  grant(request: TokenRequest, app: App): Promise<TokenReply>;
}

export function createTokenEndpoint(deps: GrantDeps & { findApp: FindApp; appSecretKey: Buffer }): TokenEndpoint {
  const grants = new Map<string, Grant>([
    ['authorization_code', authorizationCodeGrant(deps)],
    ['refresh_token', refreshTokenGrant(deps)],
    ['client_credentials', clientCredentialsGrant(deps)],
  ]);

  return {
    async authenticate({ appId, secret }) {
      const app = await deps.findApp(appId);
      if (!app || (secret !== undefined && !isSecretOf(app, secret, deps.appSecretKey))) throw errors.invalidClient();
      return app;
    },
    async grant(request, app) {
      const grant = grants.get(request.grantType);
      if (!grant) throw errors.unsupportedGrantType();
      if (!entriesOf(app._authorizedGrantTypes).includes(request.grantType)) throw errors.unauthorizedClient();
      if (!isAcceptedScope(request.scope)) throw errors.invalidScope();
      return grant({ ...request, app, isAuthenticated: request.secret !== undefined });
    },
  };
}

/** RFC 6749, section 2.3.1 wants the secret form-encoded in a header; most clients send it as it is. */
const isSecretOf = ({ _secretHash }: App, sent: string, key: Buffer): boolean =>
  secretMatches(sent, _secretHash, key) || secretMatches(formDecoded(sent), _secretHash, key);
