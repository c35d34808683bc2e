import { errors, interactionPolicy } from 'oidc-provider';
import type { Account, AdapterFactory, Configuration, JWKS, KoaContextWithOIDC } from 'oidc-provider';
import { newId } from '@dtplatform/mongo';
import type { SigningAlgorithm } from '../../domain/signing-keys.js';
import { messagePage } from '../../pages/message-page.js';
import { renderPage } from '../../pages/page.js';
import type { FindUser } from '../known-users.js';
import { GRANTED_SCOPE, isAcceptedScope } from '../scopes.js';
import { REQUESTED_SCOPE } from './authorize-request.js';

export interface ProviderSettings {
  jwks: JWKS;
  algorithm: SigningAlgorithm;
  cookieKey: string;
  adapter: AdapterFactory;
  findUser: FindUser;
}

/** Where the session's cookie is sent to. */
export const SESSION_COOKIE_PATH = '/passportsvc';

const CODE_TTL_SEC = 120;
const SIGN_IN_TTL_SEC = 60 * 60;
const SESSION_TTL_SEC = 24 * 60 * 60;

/** How the OAuth library is set up: what of it is used, and what the platform does itself. */
export function providerSettings({ jwks, algorithm, cookieKey, adapter, findUser }: ProviderSettings): Configuration {
  return {
    adapter,
    jwks,
    routes: { authorization: '/authorize', token: '/token', jwks: '/jwks' },
    cookies: cookies(cookieKey),
    clientDefaults: { id_token_signed_response_alg: algorithm },
    clientAuthMethods: ['none'],
    responseTypes: ['code', 'code token'],
    scopes: GRANTED_SCOPE.split(' '),
    extraParams: { [REQUESTED_SCOPE]: checkScope },
    features: {
      devInteractions: { enabled: false },
      userinfo: { enabled: false },
      dPoP: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      resourceIndicators: { enabled: false },
      // Sign-out is the platform's own.
      rpInitiatedLogout: { enabled: false },
    },
    // Whether a code needs its verifier or the secret is for the token endpoint to say.
    pkce: { required: () => false },
    allowOmittingSingleRegisteredRedirectUri: false,
    expiresWithSession: () => false,
    ttl: {
      // Of the token that the platform's own takes the place of (see the implicit grant).
      AccessToken: SIGN_IN_TTL_SEC,
      AuthorizationCode: CODE_TTL_SEC,
      Interaction: SIGN_IN_TTL_SEC,
      Session: SESSION_TTL_SEC,
    },
    findAccount: (context, userId) => accountOrSignOut(context, userId, findUser),
    loadExistingGrant: newAuthorization,
    interactions: { policy: signInOnly(), url: (context, { uid }) => `${context.oidc.issuer}/signin/${uid}` },
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
    long: { ...options, path: SESSION_COOKIE_PATH },
    short: options,
  };
}

/** @throws invalid_scope */
function checkScope(_context: KoaContextWithOIDC, requested: string | undefined): void {
  if (!isAcceptedScope(requested)) throw new errors.InvalidScope('The requested scope is not known.', requested!);
}

/** A sign-in, and no consent: all apps are the platform's own. */
function signInOnly() {
  const policy = interactionPolicy.base();
  policy.remove('consent');
  return policy;
}

/** A browser whose user may not sign in any more is signed out, so that it is asked who it is. */
async function accountOrSignOut(
  { oidc }: KoaContextWithOIDC,
  userId: string,
  findUser: FindUser,
): Promise<Account | undefined> {
  if (await findUser(userId)) return { accountId: userId, claims: () => ({ sub: userId }) };
  if (oidc.session) delete oidc.session.accountId;
  return undefined;
}

/**
 * Each sign-in to an app is an authorization of its own, so that ending one leaves the others. The library's model of
 * it only hands its id on to the code, with which it is stored.
 */
function newAuthorization({ oidc }: KoaContextWithOIDC) {
  const grant = new oidc.provider.Grant({ accountId: oidc.account!.accountId, clientId: oidc.client!.clientId });
  grant.addOIDCScope(GRANTED_SCOPE);
  grant.jti = newId();
  return grant;
}
