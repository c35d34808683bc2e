import { interactionPolicy } from 'oidc-provider';
import type { AdapterFactory, Configuration, JWKS, KoaContextWithOIDC, ResourceServer } from 'oidc-provider';
import { newId } from '@dtplatform/mongo';
import { entriesOf } from '../domain/app.js';
import type { SigningAlgorithm } from '../domain/signing-keys.js';
import { messagePage } from '../pages/message-page.js';
import { renderPage } from '../pages/page.js';
import type { FindUserAccount } from './accounts.js';
import { addClaims } from './claims.js';
import type { Clients } from './clients.js';
import { checkScope, GRANTED_SCOPE } from './scopes.js';

export interface ProviderSettings {
  baseUrl: string;
  jwks: JWKS;
  algorithm: SigningAlgorithm;
  cookieKey: string;
  accessTokenTtlSec: number;
  adapter: AdapterFactory;
  /** Made from the provider, which is made from this. */
  clients: () => Clients;
  findAccount: FindUserAccount;
}

const CODE_TTL_SEC = 120;
const SIGN_IN_TTL_SEC = 60 * 60;
const SESSION_TTL_SEC = 24 * 60 * 60;

/** The platform as a resource of the OAuth server: access tokens are JWTs for it (RFC 9068). */
export const platformResource = (baseUrl: string, algorithm: SigningAlgorithm): ResourceServer => ({
  scope: GRANTED_SCOPE,
  audience: baseUrl,
  accessTokenFormat: 'jwt',
  jwt: { sign: { alg: algorithm } },
});

/** How the OAuth library is set up: what of it is used, and what the platform does itself. */
export function providerSettings(settings: ProviderSettings): Configuration {
  const { baseUrl, algorithm, clients, findAccount } = settings;
  return {
    adapter: settings.adapter,
    jwks: settings.jwks,
    routes: { authorization: '/authorize', token: '/token', jwks: '/jwks' },
    cookies: cookies(settings.cookieKey),
    clientDefaults: { id_token_signed_response_alg: algorithm },
    clientAuthMethods: ['client_secret_basic', 'client_secret_post', 'none'],
    responseTypes: ['code', 'code token'],
    scopes: [],
    extraParams: { scope: grantAlwaysTheSame },
    features: features(baseUrl, algorithm),
    // Whether a code needs its verifier or the secret is for the grant that redeems it.
    pkce: { required: () => false },
    allowOmittingSingleRegisteredRedirectUri: false,
    expiresWithSession: () => false,
    ttl: {
      AccessToken: (_context, _token, client) =>
        clients().appOf(client)._accessTokenTtlSec ?? settings.accessTokenTtlSec,
      ClientCredentials: (_context, _token, client) =>
        clients().appOf(client)._accessTokenTtlSec ?? settings.accessTokenTtlSec,
      AuthorizationCode: CODE_TTL_SEC,
      Interaction: SIGN_IN_TTL_SEC,
      Session: SESSION_TTL_SEC,
    },
    formats: { customizers: { jwt: (context, token, jwt) => addClaims(clients())(context, token, jwt) } },
    findAccount: (context, userId) => accountOrSignOut(context, userId, findAccount),
    loadExistingGrant: (context) => newAuthorization(context, baseUrl),
    interactions: {
      policy: signInOnly(),
      url: (context, { uid }) => `${context.oidc.issuer}/signin/${uid}`,
    },
    clientBasedCORS: (_context, origin, client) => originsOf(clients().appOf(client)).includes(origin),
    renderError: (context, { error, error_description }) => {
      const { headers, body } = renderPage(messagePage('This does not work', error_description ?? error));
      context.set(headers);
      context.body = body;
    },
  };
}

function cookies(key: string): Configuration['cookies'] {
  const options = { httpOnly: true, sameSite: 'lax', signed: true } as const;
  return {
    keys: [key],
    names: { session: 'dtp_session', interaction: 'dtp_signin', resume: 'dtp_signin_resume' },
    long: { ...options, path: '/passportsvc' },
    short: options,
  };
}

const features = (baseUrl: string, algorithm: SigningAlgorithm): Configuration['features'] => ({
  externalSigningSupport: { enabled: true, ack: 'experimental-01' },
  devInteractions: { enabled: false },
  userinfo: { enabled: false },
  dPoP: { enabled: false },
  pushedAuthorizationRequests: { enabled: false },
  // Sign-out is the platform's own.
  rpInitiatedLogout: { enabled: false },
  resourceIndicators: {
    enabled: true,
    defaultResource: () => baseUrl,
    useGrantedResource: () => true,
    getResourceServerInfo: () => platformResource(baseUrl, algorithm),
  },
});

/** @throws invalid_scope */
function grantAlwaysTheSame(context: KoaContextWithOIDC, requested: string | undefined): void {
  checkScope(requested);
  context.oidc.params!.scope = GRANTED_SCOPE;
}

/** A sign-in, and no consent: all apps are the platform's own. */
function signInOnly() {
  const policy = interactionPolicy.base();
  policy.remove('consent');
  return policy;
}

/** A browser whose user may not sign in any more is signed out, so that it is asked who it is. */
async function accountOrSignOut(context: KoaContextWithOIDC, userId: string, findAccount: FindUserAccount) {
  const account = await findAccount(userId);
  if (!account && context.oidc.session) delete context.oidc.session.accountId;
  return account;
}

/**
 * Each sign-in to an app is an authorization of its own, so that ending one leaves the others. The library's model of
 * it only hands its id on to the code, with which it is stored.
 */
function newAuthorization({ oidc }: KoaContextWithOIDC, baseUrl: string) {
  const grant = new oidc.provider.Grant({ accountId: oidc.account!.accountId, clientId: oidc.client!.clientId });
  grant.addResourceScope(baseUrl, GRANTED_SCOPE);
  grant.jti = newId();
  return grant;
}

/** Pages of an app may call the token endpoint: those that it names, and those that it redirects to. */
function originsOf({ _authorizedOrigins, _redirectUris }: { _authorizedOrigins?: string; _redirectUris: string }) {
  const redirects = entriesOf(_redirectUris).map((uri) => new URL(uri).origin);
  return [...entriesOf(_authorizedOrigins), ...redirects];
}
