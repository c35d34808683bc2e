import { commonErrors } from '@dtplatform/errors';
import { cachedToken } from './cached-token.js';
import type { TokenSource } from './cached-token.js';
import { requestToken } from './request-token.js';
import type { TokenClient } from './request-token.js';

/**
 * The service's own token, from the client credentials grant (RFC 6749, section 4.4). It is cached and refreshed shortly
 * before it expires; concurrent calls share one request.
 * @returns a source of tokens; it rejects with a 503 AppError when the authorization server is unavailable or refuses, and the
 * cached token has expired
 */
export const clientCredentials = (client: TokenClient): TokenSource =>
  cachedToken(() =>
    requestToken(client, { grant_type: 'client_credentials' }).catch((error: unknown) => {
      throw commonErrors.unavailable({ cause: error });
    }),
  );
