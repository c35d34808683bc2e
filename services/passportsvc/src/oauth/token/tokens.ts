import { entriesOf } from '../../directory/apps/app.js';
import type { App } from '../../directory/apps/app.js';
import { secretMatches } from '../../directory/apps/new-app.js';
import { errors } from '../../errors.js';
import type { SigningKeys } from '../keys/signing-keys.js';
import { isAcceptedScope } from './access-tokens.js';
import type { Grant, GrantDeps, TokenResponse, TokenRequest } from './grant.js';
import { authorizationCodeGrant, clientCredentialsGrant, refreshTokenGrant } from './grants.js';
import { TOKEN_EXCHANGE, tokenExchangeGrant } from './token-exchange.js';

interface BasicCredentials {
  appId: string;
  secret: string;
}

const BASIC = /^Basic +([A-Za-z0-9+/_-]+={0,2}) *$/i;

/**
 * The id and secret in an `Authorization: Basic` header; undefined without the header.
 * @throws invalidClient when the header is malformed
 */
export function basicCredentials(header: string | undefined): BasicCredentials | undefined {
  if (header === undefined) return undefined;
  const encoded = BASIC.exec(header)?.[1];
  const text = encoded === undefined ? '' : Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  if (colon < 1) throw errors.invalidClient({ message: 'The Authorization header is malformed.' });
  return { appId: formDecoded(text.slice(0, colon)), secret: text.slice(colon + 1) };
}

/** RFC 6749, section 2.3.1 requires ids and secrets in the header to be form-encoded; most clients skip that. */
function formDecoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}

interface Deps extends Omit<GrantDeps, 'revoke'> {
  appSecretKey: () => Buffer;
  signingKeys: SigningKeys;
  /** Rejects all access tokens of these authorizations that were issued so far. */
  refuseTokens: (authorizationIds: string[]) => Promise<void>;
}

export type Tokens = ReturnType<typeof createTokens>;

export function createTokens(deps: Deps) {
  const { authorizationStore, findApp, appSecretKey, signingKeys, refuseTokens } = deps;

  /**
   * Rejects tokens first: if Redis is unavailable, the authorization remains and can be ended again. The second call
   * covers tokens issued in between.
   */
  async function revoke(authorizationId: string): Promise<void> {
    await refuseTokens([authorizationId]);
    await authorizationStore.remove(authorizationId);
    await refuseTokens([authorizationId]);
  }

  const grantDeps = { ...deps, revoke };
  const grants = new Map<string, Grant>([
    ['authorization_code', authorizationCodeGrant(grantDeps)],
    ['refresh_token', refreshTokenGrant(grantDeps)],
    ['client_credentials', clientCredentialsGrant(grantDeps)],
    [TOKEN_EXCHANGE, tokenExchangeGrant(grantDeps)],
  ]);

  return {
    /**
     * Authenticates the app. A secret that was sent must be right; without one the app is a public client. Rejects
     * until the signing keys are loaded, so that no code is used up without a token. @throws invalidClient
     */
    async authenticate({ appId, secret }: TokenRequest): Promise<App> {
      await signingKeys();
      const app = await findApp(appId);
      if (!app || (secret !== undefined && !isSecretOf(app, secret, appSecretKey()))) throw errors.invalidClient();
      return app;
    },
    /** @throws unsupportedGrantType, unauthorizedClient, invalidScope and the errors of the grant */
    async grant(request: TokenRequest, app: App): Promise<TokenResponse> {
      const grant = grants.get(request.grantType);
      if (!grant) throw errors.unsupportedGrantType();
      const isAuthenticated = request.secret !== undefined;
      if (!mayUse(request.grantType, app, isAuthenticated)) throw errors.unauthorizedClient();
      if (!isAcceptedScope(request.scope)) throw errors.invalidScope();
      return grant({ ...request, app, isAuthenticated });
    },
  };
}

/** Token exchange is for all trusted apps, with their secret; other grants must be registered. */
const mayUse = (grantType: string, app: App, isAuthenticated: boolean): boolean =>
  grantType === TOKEN_EXCHANGE
    ? app._trusted && isAuthenticated
    : entriesOf(app._authorizedGrantTypes).includes(grantType);

/** RFC 6749, section 2.3.1 requires form-encoded secrets in the header; most clients send them unencoded. */
const isSecretOf = (app: App, sent: string, key: Buffer): boolean =>
  hashesOf(app).some((hash) => secretMatches(sent, hash, key) || secretMatches(formDecoded(sent), hash, key));

/** After a replacement, the previous secret stays valid for a while. */
const hashesOf = ({ _secretHash, _previousSecretHash, _previousSecretExpiresAt = 0 }: App): string[] =>
  _previousSecretHash !== undefined && Date.now() < _previousSecretExpiresAt
    ? [_secretHash, _previousSecretHash]
    : [_secretHash];
