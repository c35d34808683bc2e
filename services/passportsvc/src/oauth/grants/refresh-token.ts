import { errors } from 'oidc-provider';
import type { TokenEndpointGrantContext } from 'oidc-provider';
import { readRefreshToken } from '../refresh-token.js';
import type { RefreshToken } from '../refresh-token.js';
import { checkScope } from '../scopes.js';
import { askingApp, isAuthenticated, required } from './grant-context.js';
import type { GrantDeps } from './grant-context.js';
import { answerUserTokens } from './user-tokens.js';

/** The parameters of the grant (RFC 6749, section 6). */
export const REFRESH_TOKEN_PARAMETERS = ['refresh_token', 'scope'];

/**
 * Exchanges a refresh token for new tokens, the next refresh token among them. One that was exchanged before has been
 * stolen, or the thief was faster: all that came of the sign-in ends (RFC 9700, section 4.14.2).
 */
export const refreshTokenGrant =
  (deps: GrantDeps) =>
  async (context: TokenEndpointGrantContext): Promise<void> => {
    askingApp(context, deps.clients);
    checkScope(context.oidc.params.scope);
    const token = readRefreshToken(required(context, 'refresh_token'), deps.refreshTokenKey);
    if (!token) throw new errors.InvalidGrant('not a refresh token of ours');
    const { clientId } = context.oidc.client;
    const authenticated = isAuthenticated(context);
    const expiresAt = new Date(Date.now() + deps.refreshTokenTtlSec * 1000);
    const authorization = await deps.authorizations.rotate({ ...token, clientId }, authenticated, expiresAt);
    if (!authorization) return refuse(token, clientId, authenticated, deps);
    await answerUserTokens(context, authorization, { ...deps, mayRefresh: true });
  };

async function refuse(token: RefreshToken, clientId: string, authenticated: boolean, deps: GrantDeps): Promise<never> {
  const authorization = await deps.authorizations.find(token.id);
  if (authorization?.clientId !== clientId) throw new errors.InvalidGrant('the refresh token has ended');
  if (authorization.needsSecret && !authenticated) throw new errors.InvalidClientAuth('the secret is needed');
  if (authorization.generation > token.generation) await deps.revoke(token.id);
  throw new errors.InvalidGrant('the refresh token was used or has expired');
}
