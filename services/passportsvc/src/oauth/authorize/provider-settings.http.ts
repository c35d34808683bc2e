import { errors, interactionPolicy } from 'oidc-provider';
import type { Account, AdapterFactory, Configuration, KoaContextWithOIDC } from 'oidc-provider';
import type { JWK } from 'jose';
import { messagePage, renderPage } from '../../pages/page.http.js';
import type { Consents } from '../consents/consents.js';
import type { SigningAlgorithm } from '../keys/key-rotation.js';
import { GRANTED_SCOPE, isAcceptedScope } from '../token/access-tokens.js';
import type { FindUser } from '../token/known.js';
import { REQUESTED_SCOPE } from './responses.http.js';

function createInteractionPolicy(consents: Consents) {
  const { base, Check, Prompt } = interactionPolicy;
  const policy = base();
  policy.remove('consent');
  const isMissing = ({ oidc }: KoaContextWithOIDC) => isConsentMissing(oidc, consents);
  const check = new Check('consent_missing', 'The user has not consented.', 'consent_required', isMissing);
  policy.add(new Prompt({ name: 'consent' }, check));
  return policy;
}

async function isConsentMissing({ session, client, params }: KoaContextWithOIDC['oidc'], consents: Consents) {
  const request = await consents.requestOf({
    userId: session!.accountId!,
    clientId: client!.clientId,
    redirectUri: String(params!.redirect_uri),
  });
  if (!request) throw new errors.AccessDenied('The user or the application no longer exists.');
  return consents.isMissing(request);
}

export interface ProviderSettings {
  /** The current signing key first. */
  keys: JWK[];
  algorithm: SigningAlgorithm;
  cookieKey: string;
  adapter: AdapterFactory;
  findUser: FindUser;
  consents: Consents;
  newId: () => string;
}

export const SESSION_COOKIE_PATH = '/passportsvc';

const MAX_STATE_LENGTH = 2048;
const MAX_HINT_LENGTH = 256;

const CODE_TTL_SEC = 120;
const SIGN_IN_TTL_SEC = 60 * 60;
/** Since the last use. */
export const SESSION_TTL_SEC = 24 * 60 * 60;

/** Configures the OAuth library: which features it serves and which the platform implements itself. */
export function providerSettings(settings: ProviderSettings): Configuration {
  const { keys, algorithm, cookieKey, adapter, findUser, consents, newId } = settings;
  return {
    adapter,
    jwks: { keys },
    routes: { authorization: '/authorize', token: '/token', jwks: '/jwks' },
    cookies: cookies(cookieKey),
    clientDefaults: { id_token_signed_response_alg: algorithm },
    clientAuthMethods: ['none'],
    responseTypes: ['code', 'code token'],
    scopes: GRANTED_SCOPE.split(' '),
    extraParams: { [REQUESTED_SCOPE]: checkParameters },
    features: {
      devInteractions: { enabled: false },
      userinfo: { enabled: false },
      dPoP: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      resourceIndicators: { enabled: false },
      rpInitiatedLogout: { enabled: false },
    },
    // The token endpoint decides whether a code needs its verifier or the secret.
    pkce: { required: () => false },
    allowOmittingSingleRegisteredRedirectUri: false,
    expiresWithSession: () => false,
    ttl: {
      // The implicit grant replaces this token with one of the platform.
      AccessToken: SIGN_IN_TTL_SEC,
      AuthorizationCode: CODE_TTL_SEC,
      Interaction: SIGN_IN_TTL_SEC,
      Session: SESSION_TTL_SEC,
    },
    findAccount: (context, userId) => accountOrSignOut(context, userId, findUser),
    loadExistingGrant: (context) => newAuthorization(context, newId()),
    interactions: {
      policy: createInteractionPolicy(consents),
      url: ({ oidc }, { uid, prompt }) => `${oidc.issuer}/${prompt.name === 'consent' ? 'consent' : 'signin'}/${uid}`,
    },
    renderError: (context, out) => {
      const { headers, body } = renderPage(messagePage('Sign-in failed', reasonOf(out)));
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

/** @throws invalid_scope, invalid_request */
function checkParameters({ oidc }: KoaContextWithOIDC, scope: string | undefined): void {
  // Permitted by RFC 6749, section 3.3.
  if (scope === undefined) throw new errors.InvalidScope('scope is missing.', '');
  if (!isAcceptedScope(scope)) throw new errors.InvalidScope('The requested scope is unknown.', scope);
  const { state = '', login_hint: hint = '' } = oidc.params as { state?: string; login_hint?: string };
  if (state.length > MAX_STATE_LENGTH) throw tooLong('state', MAX_STATE_LENGTH);
  if (hint.length > MAX_HINT_LENGTH) throw tooLong('login_hint', MAX_HINT_LENGTH);
}

const tooLong = (name: string, max: number) =>
  new errors.InvalidRequest(`${name} must not be longer than ${max} characters.`);

/** Why the app cannot receive the error, for the user who sees the page. */
function reasonOf({ error, error_description: description = error }: { error: string; error_description?: string }) {
  if (error === 'invalid_client') return 'The application that sent you here is not registered: client_id is unknown.';
  if (error === 'invalid_redirect_uri') {
    return 'The application that sent you here asked to return to an address that is not registered: redirect_uri is not one of the application’s redirect URIs.';
  }
  return `The application that sent you here made a mistake: ${description}.`;
}

/** Signs out a browser whose user can no longer sign in, so that the sign-in page appears. */
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
 * Makes each sign-in to an app a separate authorization, so that ending one leaves the others. The library's grant only
 * passes its id on to the code, which is stored with it.
 */
function newAuthorization({ oidc }: KoaContextWithOIDC, id: string) {
  const grant = new oidc.provider.Grant({ accountId: oidc.account!.accountId, clientId: oidc.client!.clientId });
  grant.addOIDCScope(GRANTED_SCOPE);
  grant.jti = id;
  return grant;
}
