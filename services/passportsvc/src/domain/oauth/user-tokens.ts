import { errors } from '../../errors.js';
import { entriesOf } from '../apps/app.js';
import type { App } from '../apps/app.js';
import type { Authorization } from './authorization.js';
import type { GrantDeps } from './grant.js';
import { issueForUser } from './issue-for-user.js';
import { writeRefreshToken } from './refresh-token.js';
import { tokenReply } from './token-reply.js';
import type { TokenReply } from './token-reply.js';

/**
 * Issues an access token and the refresh token of the authorization's current generation.
 * @throws invalidGrant when the user no longer exists, is deactivated or does not consent
 */
export async function userTokens(
  { _id: id, accountId, generation, code }: Authorization,
  app: App,
  deps: GrantDeps,
): Promise<TokenReply> {
  const user = await deps.findUser(accountId);
  if (!user) throw errors.invalidGrant({ message: 'The user can no longer sign in.' });
  const subject = { app, user, authorizationId: id, redirectUri: code.redirectUri };
  const mayRefresh = entriesOf(app._authorizedGrantTypes).includes('refresh_token');
  const refreshToken = mayRefresh ? writeRefreshToken({ id, generation }, deps.refreshTokenKey()) : undefined;
  return tokenReply(await issueForUser(subject, deps), subject, refreshToken);
}
