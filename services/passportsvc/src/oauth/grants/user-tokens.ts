import type { TokenEndpointGrantContext } from 'oidc-provider';
import type { Authorization } from '../authorization.js';
import { writeRefreshToken } from '../refresh-token.js';
import { GRANTED_SCOPE } from '../scopes.js';
import { accountOf } from './grant-context.js';
import type { GrantDeps } from './grant-context.js';
import { tokenReply } from './token-reply.js';

/** Answers with an access token and the refresh token of an authorization's present generation. */
export async function answerUserTokens(
  context: TokenEndpointGrantContext,
  authorization: Authorization,
  { findAccount, refreshTokenKey, resource, mayRefresh }: GrantDeps & { mayRefresh: boolean },
): Promise<void> {
  const { client, provider } = context.oidc;
  const account = await accountOf(authorization.accountId, findAccount);
  context.oidc.entity('Account', account);
  const token = new provider.AccessToken({
    accountId: account.accountId,
    client,
    grantId: authorization._id,
    gty: context.oidc.params.grant_type,
    resourceServer: resource,
    scope: GRANTED_SCOPE,
  });
  const { _id: id, generation } = authorization;
  context.body = await tokenReply(token, {
    appId: client.clientId,
    userName: account.accountId,
    refreshToken: mayRefresh ? writeRefreshToken({ id, generation }, refreshTokenKey) : undefined,
  });
}
