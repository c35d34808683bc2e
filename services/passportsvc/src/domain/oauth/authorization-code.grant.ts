import { errors } from '../../errors.js';
import { hashCode } from './authorization.js';
import type { Grant, GrantDeps } from './grant.js';
import { challengeOf, isVerifier } from './pkce.js';
import { userTokens } from './user-tokens.js';

const VERIFIER_MISSING = 'code_verifier is missing: the code was issued for a code_challenge.';

/**
 * Redeems a code (RFC 6749, section 4.1.3; RFC 7636, section 4.5). A code issued for a challenge needs its verifier, a code
 * without a challenge needs the app's secret. Redeeming a code twice revokes the tokens of the first redemption.
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
