import { z } from 'zod';
import { appIdOf } from './access-tokens.js';
import type { IssuedToken, TokenSubject } from './access-tokens.js';
import { GRANTED_SCOPE } from './scopes.js';

/** The type of the platform's access tokens (RFC 8693, section 3). */
export const ACCESS_TOKEN_TYPE = 'urn:ietf:params:oauth:token-type:access_token';

/** A successful reply of the token endpoint (docs/contract.md, "OAuth endpoints"). */
export const TokenReply = z.object({
  access_token: z.string(),
  /** Of a token exchange. */
  issued_token_type: z.literal(ACCESS_TOKEN_TYPE).optional(),
  token_type: z.literal('bearer'),
  refresh_token: z.string().optional(),
  /** Seconds. */
  expires_in: z.number(),
  scope: z.literal(GRANTED_SCOPE),
  user_name: z.string(),
  app_id: z.string(),
  jti: z.string(),
});
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
