import type { IncomingMessage } from 'node:http';
import { stringify } from 'node:querystring';
import type { KoaContextWithOIDC, Provider } from 'oidc-provider';
import { SIGN_OUT_PATH } from '../../pages/paths.js';
import { queryParameters } from '../../requests/parameters.http.js';
import type { Consents } from '../consents/consents.js';
import type { SigningAlgorithm } from '../keys/key-rotation.js';
import { ACCEPTED_SCOPES, GRANTED_SCOPE } from '../token/access-tokens.js';
import type { AccessTokens } from '../token/access-tokens.js';
import { normalChallenge } from '../token/authorization.js';
import type { AuthorizationStore } from '../token/authorizations.store.js';
import { issueForUser } from '../token/grant.js';
import { TOKEN_EXCHANGE } from '../token/token-exchange.js';
import type { LibraryRequest } from './oauth-provider.http.js';

export function useResponses(provider: Provider, algorithm: SigningAlgorithm): void {
  provider.use(async (context: KoaContextWithOIDC, next: () => Promise<void>) => {
    const request = context.req as LibraryRequest;
    await next().catch((error: unknown) => {
      request.failure = error;
    });
    // Failures that are not the caller's fault are handled as on every other route: logged, with 503 for unavailable
    // backends.
    if (request.failure) context.respond = false;
    else describe(context, algorithm);
    protectForm(context);
  });
  provider.on('server_error', ({ req }, error) => {
    (req as LibraryRequest).failure = error;
  });
}

/** Protects the library's own form page (`response_mode=form_post`) from framing. */
function protectForm(context: KoaContextWithOIDC): void {
  if (!context.response.is('html') || context.res.hasHeader('content-security-policy')) return;
  context.set({
    'content-security-policy': "frame-ancestors 'none'; base-uri 'none'",
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
  });
}

const OPENID_ONLY = [
  'claim_types_supported',
  'claims_parameter_supported',
  'id_token_signing_alg_values_supported',
  'request_uri_parameter_supported',
  'subject_types_supported',
];

/** Adds what the platform implements itself to the authorization server metadata (RFC 8414, section 2). */
function describe(context: KoaContextWithOIDC, algorithm: SigningAlgorithm): void {
  const { route } = context.oidc;
  if (route === 'jwks' || route === 'discovery') context.set('cache-control', 'public, max-age=300');
  if (route !== 'discovery') return;
  const metadata = context.body as Record<string, unknown>;
  Object.assign(metadata, {
    scopes_supported: ACCEPTED_SCOPES,
    response_types_supported: ['code', 'token'],
    grant_types_supported: ['authorization_code', 'refresh_token', 'client_credentials', 'implicit', TOKEN_EXCHANGE],
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
    id_token_signing_alg_values_supported: [algorithm],
    claims_supported: undefined,
    end_session_endpoint: new URL(SIGN_OUT_PATH, context.oidc.issuer).href,
  });
  // OpenID discovery clients require these fields, although the platform issues no ID tokens.
  if (!context.path.endsWith('/openid-configuration')) for (const name of OPENID_ONLY) delete metadata[name];
}

/** The platform's response mode for the implicit grant, which the library supports only in combination with a code. */
export const IMPLICIT = 'implicit';

interface Deps {
  accessTokens: AccessTokens;
  consents: Consents;
  stores: { authorizations: AuthorizationStore };
}

/**
 * Redirects to the app with the response in the fragment (RFC 6749, section 4.2.2), without the code and with the
 * platform's token.
 */
export const respondImplicitly =
  (deps: Deps) =>
  async (context: KoaContextWithOIDC, redirectUri: string, response: Record<string, unknown>): Promise<void> => {
    const { code: _code, ...kept } = response;
    const fields = 'access_token' in response ? { ...kept, ...(await platformToken(context, deps)) } : kept;
    const fragment = new URLSearchParams();
    for (const [name, value] of Object.entries(fields)) fragment.set(name, String(value));
    const target = new URL(redirectUri);
    target.hash = fragment.toString();
    context.status = 303;
    context.redirect(target.href);
  };

/** Keeps the authorization for the lifetime of the token, so that revoking the consent finds it. */
async function platformToken({ oidc }: KoaContextWithOIDC, { consents, stores, ...deps }: Deps) {
  const { accountId: userId, grantId: authorizationId } = oidc.entities.AccessToken!;
  const redirectUri = String(oidc.params!.redirect_uri);
  const request = await consents.requestOf({ userId, clientId: oidc.client!.clientId, redirectUri });
  if (!request) throw new Error('the app or the user was deleted during the request');
  const { token, expiresInSec } = await issueForUser({ ...request, authorizationId }, { ...deps, consents });
  await stores.authorizations.useUp(authorizationId, new Date(Date.now() + expiresInSec * 1000));
  return { access_token: token, token_type: 'bearer', expires_in: expiresInSec, scope: GRANTED_SCOPE };
}

const NAMES = [
  'response_type',
  'client_id',
  'redirect_uri',
  'scope',
  'state',
  'code_challenge',
  'code_challenge_method',
  'response_mode',
  'prompt',
  'login_hint',
];

/** Carries the requested scope past the library, which drops unknown scopes before they can be rejected. */
export const REQUESTED_SCOPE = 'requested_scope';

export function authorizeUrl(req: IncomingMessage): string {
  const sent = queryParameters(req);
  const kept = Object.fromEntries(NAMES.filter((name) => sent[name] !== undefined).map((name) => [name, sent[name]]));
  if (typeof kept.code_challenge === 'string') kept.code_challenge = normalChallenge(kept.code_challenge);
  Object.assign(kept, responseParameters(kept.response_type, kept.response_mode));
  // A parameter without a value is treated as missing (RFC 6749, section 3.1).
  if (!Array.isArray(kept.scope))
    Object.assign(kept, { scope: GRANTED_SCOPE, [REQUESTED_SCOPE]: kept.scope || undefined });
  return `/authorize?${stringify(kept)}`;
}

/** The library supports the implicit grant only in combination with the code grant. */
function responseParameters(type: string | string[] | undefined, mode: string | string[] | undefined) {
  if (type === 'token') {
    const isFragment = mode === undefined || mode === 'fragment';
    return { response_type: 'code token', response_mode: isFragment ? IMPLICIT : 'unsupported' };
  }
  // Replaces values that only the platform may set by one that the library rejects.
  return {
    ...(type === undefined || type === 'code' ? {} : { response_type: 'unsupported' }),
    ...(mode === IMPLICIT ? { response_mode: 'unsupported' } : {}),
  };
}
