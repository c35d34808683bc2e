import { baseOf } from '../base-url.js';
import type { Auth } from './auth.js';
import { isFresh, requestTokens } from './tokens.js';
import type { AppCredentials, Tokens } from './tokens.js';
import { unlessAborted } from './unless-aborted.js';

/** Signs in as an app. Concurrent calls share one token request. */
export function clientCredentials(app: Required<Pick<AppCredentials, 'clientSecret'>> & AppCredentials): Auth {
  const credentials = { ...app, baseUrl: baseOf(app.baseUrl) };
  let tokens: Tokens | undefined;
  let pending: Promise<Tokens> | undefined;

  async function request(): Promise<Tokens> {
    try {
      return (tokens = await requestTokens(credentials, { grant_type: 'client_credentials' }));
    } finally {
      pending = undefined;
    }
  }

  return {
    async token({ rejected, signal } = {}) {
      if (tokens && isFresh(tokens) && tokens.accessToken !== rejected) return tokens.accessToken;
      pending ??= request();
      return (await unlessAborted(pending, signal)).accessToken;
    },
  };
}
