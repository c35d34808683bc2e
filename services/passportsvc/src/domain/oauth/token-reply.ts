import { z } from 'zod';
import { appIdOf } from './access-tokens.js';
import type { IssuedToken, TokenSubject } from './access-tokens.js';
import { GRANTED_SCOPE } from './scopes.js';

/** The type of the platform's access tokens (RFC 8693, section 3). */
export const ACCESS_TOKEN_TYPE = 'urn:ietf:params:oauth:token-type:access_token';

/** A successful reply of the token endpoint (docs/contract.md, "OAuth endpoints"). */
export const TokenReply = z
  .object({
    access_token: z.string().describe('The access token, a JWT (RFC 9068).'),
    issued_token_type: z
      .literal(ACCESS_TOKEN_TYPE)
      .optional()
      .describe('The type of the token; of a token exchange only.'),
    token_type: z.literal('bearer').describe('How calls carry the token: `Authorization: Bearer`.'),
    refresh_token: z
      .string()
      .optional()
      .describe('A token with which the next tokens are requested, once. Only for users, if the app may refresh.'),
    expires_in: z.number().describe('How long the access token is valid, in seconds.'),
    scope: z.literal(GRANTED_SCOPE).describe('The scope of every token, regardless of what was requested.'),
    user_name: z.string().describe('The id of the subject of the token: a user, an app or a permission profile.'),
    app_id: z.string().describe('The id of the app that the subject uses; a permission profile has its own id here.'),
    jti: z.string().describe('The id of the access token.'),
  })
  .meta({ id: 'TokenReply', description: 'An access token (RFC 6749, section 5.1).' });
export type TokenReply = z.infer<typeof TokenReply>;

export const tokenReply = (
  { token, jti, expiresInSec }: IssuedToken,
  subject: TokenSubject,
  refreshToken?: string,
): TokenReply => ({
  access_token: token,
  token_type: 'bearer',
  ...(refreshToken === undefined ? {} : { refresh_token: refreshToken }),
  expires_in: expiresInSec,
  scope: GRANTED_SCOPE,
  user_name: subject.user?.id ?? appIdOf(subject),
  app_id: appIdOf(subject),
  jti,
});
