import { errors } from '../../errors.js';
import { challengeOf, hashCode, isVerifier, readRefreshToken } from './authorization.js';
import type { RefreshToken } from './authorization.js';
import { tokenResponse, userTokens } from './grant.js';
import type { Grant, GrantDeps, GrantRequest } from './grant.js';

/** RFC 6749, section 4.4. */
export const clientCredentialsGrant =
  ({ accessTokens }: GrantDeps): Grant =>
  async ({ app, isAuthenticated }) => {
    if (!isAuthenticated) throw errors.invalidClient({ message: 'The client must send its secret.' });
    return tokenResponse(await accessTokens.issue({ app }), { app });
  };

const VERIFIER_MISSING = 'code_verifier is missing: the code was issued for a code_challenge.';

/**
 * Redeems a code (RFC 6749, section 4.1.3; RFC 7636, section 4.5). A code with a challenge needs its verifier; one
 * without needs the app's secret. A second redemption revokes the tokens of the first.
 */
export const authorizationCodeGrant =
  (deps: GrantDeps): Grant =>
  async ({ app, isAuthenticated, code, redirectUri, codeVerifier }) => {
    // Without a secret, only the verifier proves that this client requested the code.
    const lacksVerifier = async () =>
      codeVerifier === undefined && deps.authorizationStore.hasChallenge(hashCode(code ?? ''));
    if (codeVerifier === undefined && !isAuthenticated) {
      if (await lacksVerifier()) throw errors.invalidRequest({ message: VERIFIER_MISSING });
      throw errors.invalidClient({ message: 'The client must send its secret, or the code_verifier of the code.' });
    }
    if (code === undefined || redirectUri === undefined) {
      throw errors.invalidRequest({ message: 'code and redirect_uri are required.' });
    }
    if (codeVerifier !== undefined && !isVerifier(codeVerifier)) {
      throw errors.invalidRequest({ message: 'code_verifier must be 16 to 128 visible characters.' });
    }
    const challenge = codeVerifier === undefined ? undefined : challengeOf(codeVerifier);
    const proof = { codeHash: hashCode(code), clientId: app._id, redirectUri, challenge };
    const expiresAt = new Date(Date.now() + deps.refreshTokenTtlSec * 1000);
    const authorization = await deps.authorizationStore.redeem(proof, isAuthenticated, expiresAt);
    if (!authorization) {
      const redeemed = await deps.authorizationStore.findRedeemed(proof);
      if (redeemed) await deps.revoke(redeemed._id);
      throw errors.invalidGrant((await lacksVerifier()) ? { message: VERIFIER_MISSING } : {});
    }
    return userTokens(authorization, app, deps);
  };

/**
 * Exchanges a refresh token for new tokens, including the next refresh token (RFC 6749, section 6). Reuse means that
 * the token was stolen, so it ends the whole authorization (RFC 9700, section 4.14.2).
 */
export const refreshTokenGrant =
  (deps: GrantDeps): Grant =>
  async (request) => {
    const { app, isAuthenticated, refreshToken } = request;
    if (refreshToken === undefined) throw errors.invalidRequest({ message: 'refresh_token is missing.' });
    const token = readRefreshToken(refreshToken, deps.refreshTokenKey());
    if (!token) throw errors.invalidGrant();
    const expiresAt = new Date(Date.now() + deps.refreshTokenTtlSec * 1000);
    const presented = { ...token, clientId: app._id };
    const authorization = await deps.authorizationStore.rotate(presented, isAuthenticated, expiresAt);
    if (!authorization) return reject(token, request, deps);
    return userTokens(authorization, app, deps);
  };

async function reject(token: RefreshToken, { app, isAuthenticated }: GrantRequest, deps: GrantDeps): Promise<never> {
  const authorization = await deps.authorizationStore.find(token.id);
  if (authorization?.clientId !== app._id) throw errors.invalidGrant();
  if (authorization.needsSecret && !isAuthenticated)
    throw errors.invalidClient({ message: 'The client must send its secret.' });
  if (authorization.generation > token.generation) await deps.revoke(token.id);
  throw errors.invalidGrant();
}
