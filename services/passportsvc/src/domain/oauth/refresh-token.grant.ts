import { errors } from '../../errors.js';
import type { Grant, GrantDeps, GrantRequest } from './grant.js';
import { readRefreshToken } from './refresh-token.js';
import type { RefreshToken } from './refresh-token.js';
import { userTokens } from './user-tokens.js';

/**
 * Exchanges a refresh token for new tokens, including the next refresh token (RFC 6749, section 6). A token that was
 * exchanged before has been stolen, or was used by a thief first: the whole authorization ends (RFC 9700, section 4.14.2).
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
    if (!authorization) return refuse(token, request, deps);
    return userTokens(authorization, app, deps);
  };

async function refuse(token: RefreshToken, { app, isAuthenticated }: GrantRequest, deps: GrantDeps): Promise<never> {
  const authorization = await deps.authorizationStore.find(token.id);
  if (authorization?.clientId !== app._id) throw errors.invalidGrant();
  if (authorization.needsSecret && !isAuthenticated)
    throw errors.invalidClient({ message: 'The client must send its secret.' });
  if (authorization.generation > token.generation) await deps.revoke(token.id);
  throw errors.invalidGrant();
}
