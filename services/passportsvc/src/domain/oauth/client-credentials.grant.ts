import { errors } from '../../errors.js';
import type { Grant, GrantDeps } from './grant.js';
import { tokenReply } from './token-reply.js';

/** Issues a token for the app itself (RFC 6749, section 4.4). */
export const clientCredentialsGrant =
  ({ accessTokens }: GrantDeps): Grant =>
  async ({ app, isAuthenticated }) => {
    if (!isAuthenticated) throw errors.invalidClient({ message: 'The client must send its secret.' });
    return tokenReply(await accessTokens.issue({ app }), { app });
  };
