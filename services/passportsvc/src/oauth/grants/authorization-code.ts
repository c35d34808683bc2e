import { errors } from 'oidc-provider';
import type { TokenEndpointGrantContext } from 'oidc-provider';
import { entriesOf } from '../../domain/app.js';
import { hashCode } from '../authorization.js';
import { challengeOf, isVerifier } from '../pkce.js';
import { askingApp, isAuthenticated, optional, required } from './grant-context.js';
import type { GrantDeps } from './grant-context.js';
import { answerUserTokens } from './user-tokens.js';

/** The parameters of the grant (RFC 6749, section 4.1.3; RFC 7636, section 4.5). */
export const AUTHORIZATION_CODE_PARAMETERS = ['code', 'redirect_uri', 'code_verifier'];

/**
 * Redeems a code. A code that was issued for a challenge needs its verifier, one without a challenge the app's secret;
 * who redeems a code a second time ends what came of the first.
 */
export const authorizationCodeGrant =
  (deps: GrantDeps) =>
  async (context: TokenEndpointGrantContext): Promise<void> => {
    const app = askingApp(context, deps.clients);
    const verifier = optional(context, 'code_verifier');
    // Without a secret only the verifier shows that this is the client that asked for the code.
    if (verifier === undefined && !isAuthenticated(context))
      throw new errors.InvalidClientAuth('no secret, no verifier');
    if (verifier !== undefined && !isVerifier(verifier)) {
      throw new errors.InvalidRequest('code_verifier must be 16 to 128 visible characters');
    }
    const proof = {
      codeHash: hashCode(required(context, 'code')),
      clientId: context.oidc.client.clientId,
      redirectUri: required(context, 'redirect_uri'),
      challenge: verifier === undefined ? undefined : challengeOf(verifier),
    };
    const expiresAt = new Date(Date.now() + deps.refreshTokenTtlSec * 1000);
    const authorization = await deps.authorizations.redeem(proof, isAuthenticated(context), expiresAt);
    if (!authorization) {
      const redeemed = await deps.authorizations.isRedeemed(proof);
      if (redeemed) await deps.revoke(redeemed._id);
      throw new errors.InvalidGrant('the code is unknown, expired, used or for another request');
    }
    const mayRefresh = entriesOf(app._authorizedGrantTypes).includes('refresh_token');
    await answerUserTokens(context, authorization, { ...deps, mayRefresh });
  };
