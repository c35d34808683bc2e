import type { AccessToken, ClientCredentials } from 'oidc-provider';

/** What the token endpoint answers (contract: OAuth endpoints). Saving a token signs it; nothing is stored. */
export async function tokenReply(
  token: AccessToken | ClientCredentials,
  more: { appId: string; userName: string; refreshToken?: string },
): Promise<object> {
  return {
    access_token: await token.save(),
    token_type: 'bearer',
    ...(more.refreshToken === undefined ? {} : { refresh_token: more.refreshToken }),
    expires_in: token.expiration,
    scope: token.scope,
    user_name: more.userName,
    app_id: more.appId,
    jti: token.jti,
  };
}
