import { errors } from '../../errors.js';
import { entriesOf } from '../apps/app.js';
import type { App } from '../apps/app.js';
import type { Authorization } from './authorization.js';
import type { GrantDeps } from './grant.js';
import { writeRefreshToken } from './refresh-token.js';
import { tokenReply } from './token-reply.js';
import type { TokenReply } from './token-reply.js';

/**
 * Issues an access token and the refresh token of the authorization's current generation.
 * @throws invalidGrant when the user no longer exists or is deactivated
 */
export async function userTokens(
  { _id: id, accountId, generation }: Authorization,
  app: App,
  { findUser, accessTokens, refreshTokenKey }: GrantDeps,
): Promise<TokenReply> {
  const user = await findUser(accountId);
  if (!user) throw errors.invalidGrant({ message: 'The user can no longer sign in.' });
  const subject = { app, user, authorizationId: id };
  const mayRefresh = entriesOf(app._authorizedGrantTypes).includes('refresh_token');
  const refreshToken = mayRefresh ? writeRefreshToken({ id, generation }, refreshTokenKey) : undefined;
  return tokenReply(await accessTokens.issue(subject), subject, refreshToken);
}
