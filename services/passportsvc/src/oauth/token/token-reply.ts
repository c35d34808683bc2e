import { GRANTED_SCOPE } from '../scopes.js';
import type { IssuedToken, TokenSubject } from './access-tokens.js';

/** What the token endpoint answers (contract: OAuth endpoints). */
export interface TokenReply {
  access_token: string;
  token_type: 'bearer';
  refresh_token?: string;
  /** Seconds. */
  expires_in: number;
  scope: typeof GRANTED_SCOPE;
  user_name: string;
  app_id: string;
  jti: string;
}

export const tokenReply = (
  { token, jti, expiresInSec }: IssuedToken,
  { app, user }: TokenSubject,
  refreshToken?: string,
): TokenReply => ({
  access_token: token,
  token_type: 'bearer',
  ...(refreshToken === undefined ? {} : { refresh_token: refreshToken }),
  expires_in: expiresInSec,
  scope: GRANTED_SCOPE,
  user_name: user?.id ?? app._id,
  app_id: app._id,
  jti,
});
