import type { KoaContextWithOIDC, Provider } from 'oidc-provider';
import type { SigningAlgorithm } from '../domain/signing-keys.js';
import type { ApiVersion, LibraryRequest } from './library-request.js';

/** For a client that sent a wrong secret in a header (RFC 6749, section 5.2). */
export const BASIC_CHALLENGE = 'Basic realm="dtplatform"';

/** The token endpoint of version 1 refuses everything with a 403 (contract: OAuth endpoints). */
export const refusalStatus = (version: ApiVersion, status: number): number =>
  version === 1 && (status === 400 || status === 401) ? 403 : status;

/** Makes what the library answered what the platform promises. */
export function answers(algorithm: SigningAlgorithm) {
  const byRoute: Partial<Record<string, (context: KoaContextWithOIDC, request: LibraryRequest) => void>> = {
    token: answerToken,
    discovery: (context) => answerMetadata(context, algorithm),
    jwks: (context) => context.set('cache-control', 'public, max-age=300'),
  };

  return async (context: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> => {
    const request = context.req as LibraryRequest;
    await next().catch((error: unknown) => {
      request.oauth.failure = error;
    });
    if (request.oauth.failure) context.respond = false;
    else byRoute[(context.oidc as { route: string } | undefined)?.route ?? '']?.(context, request);
  };
}

/** Failures that are not the caller's fault are answered where all others are: logged, and 503 for lost backends. */
export function noteFailures(provider: Provider): void {
  provider.on('server_error', ({ req }, error) => {
    (req as LibraryRequest).oauth.failure = error;
  });
}

function answerToken(context: KoaContextWithOIDC, { oauth }: LibraryRequest): void {
  context.set('pragma', 'no-cache');
  if (context.status === 401 && oauth.basicSent) context.set('www-authenticate', BASIC_CHALLENGE);
  context.status = refusalStatus(oauth.version, context.status);
}

/** Authorization server metadata (RFC 8414, section 2), where the library does not know what the platform adds. */
function answerMetadata(context: KoaContextWithOIDC, algorithm: SigningAlgorithm): void {
  context.set('cache-control', 'public, max-age=300');
  Object.assign(context.body as object, {
    scopes_supported: ['read', 'write', 'scim'],
    response_types_supported: ['code', 'token'],
    grant_types_supported: ['authorization_code', 'refresh_token', 'client_credentials', 'implicit'],
    id_token_signing_alg_values_supported: [algorithm],
    claims_supported: undefined,
  });
}
