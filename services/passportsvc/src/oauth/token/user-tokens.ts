import { entriesOf } from '../../domain/app.js';
import type { App } from '../../domain/app.js';
import { errors } from '../../errors.js';
import type { Authorization } from '../authorization.js';
import { writeRefreshToken } from './refresh-token.js';
import type { GrantDeps } from './grant.js';
import { tokenReply } from './token-reply.js';
import type { TokenReply } from './token-reply.js';

/**
 * An access token and the refresh token of an authorization's present generation.
 * @throws invalid_grant when the user is gone or deactivated
 */
export async function userTokens(
  { _id: id, accountId, generation }: Authorization,
  app: App,
  { findUser, accessTokens, refreshTokenKey }: GrantDeps,
): Promise<TokenReply> {
  const user = await findUser(accountId);
  if (!user) throw errors.invalidGrant({ message: 'The user may not sign in any more.' });
  const subject = { app, user, authorizationId: id };
  const mayRefresh = entriesOf(app._authorizedGrantTypes).includes('refresh_token');
  const refreshToken = mayRefresh ? writeRefreshToken({ id, generation }, refreshTokenKey) : undefined;
  return tokenReply(await accessTokens.issue(subject), subject, refreshToken);
}
