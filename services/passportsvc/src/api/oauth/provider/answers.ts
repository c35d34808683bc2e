import type { KoaContextWithOIDC, Provider } from 'oidc-provider';
import { SIGN_OUT_PATH } from '../../pages/paths.js';
import type { SigningAlgorithm } from '../../../domain/keys/key-plan.js';
import { ACCEPTED_SCOPES } from '../../../domain/oauth/scopes.js';
import { TOKEN_EXCHANGE } from '../../../domain/oauth/token-exchange.grant.js';
import type { LibraryRequest } from './library-request.js';

/** Adapts the library's answers to the platform's API. */
export function useAnswers(provider: Provider, algorithm: SigningAlgorithm): void {
  provider.use(async (context: KoaContextWithOIDC, next: () => Promise<void>) => {
    const request = context.req as LibraryRequest;
    await next().catch((error: unknown) => {
      request.failure = error;
    });
    // Failures that are not the caller's fault are handled like those of every other route: logged, with 503 for unavailable backends.
    if (request.failure) context.respond = false;
    else describe(context, algorithm);
    protectForm(context);
  });
  provider.on('server_error', ({ req }, error) => {
    (req as LibraryRequest).failure = error;
  });
}

/** The library's own page, which sends the answer to the app as a form (`response_mode=form_post`), must not be framed either. */
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

/** Completes the authorization server metadata (RFC 8414, section 2) with what the platform implements itself. */
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
  // Clients of OpenID discovery insist on these fields, although the platform issues no ID tokens.
  if (!context.path.endsWith('/openid-configuration')) for (const name of OPENID_ONLY) delete metadata[name];
}
