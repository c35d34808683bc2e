import { baseOf } from '../base-url.js';
import { SignedOutError, SignInError } from '../errors.js';
import { randomText } from '../random-text.js';
import type { Auth } from './auth.js';
import { challengeOf } from './pkce.js';
import { browserStore, hasBrowserStore, memoryStore } from './store.js';
import type { SessionStore } from './store.js';
import { isFresh, requestTokens, revokeTokens } from './tokens.js';
import type { AppCredentials, Tokens } from './tokens.js';
import { unlessAborted } from './unless-aborted.js';

export interface SessionOptions extends AppCredentials {
  /** Where the sign-in page redirects to; registered for the app. */
  redirectUri: string;
  /** Defaults to the browser's storage, shared by all tabs; outside of browsers, to memory. */
  store?: SessionStore;
}

/** The session of a user, signed in with PKCE (RFC 7636). */
export interface Session extends Auth {
  /** Starts a sign-in and returns the URL of the sign-in page. */
  begin(): Promise<string>;
  /**
   * Completes the sign-in with the redirect URL.
   * @throws SignInError if the user denied it or it was not started here
   */
  complete(url: string | URL): Promise<void>;
  isSignedIn(): Promise<boolean>;
  /**
   * Drops the session and revokes its tokens; if the platform cannot be reached, they expire later. Returns the URL of
   * the page where the user also ends the browser's session.
   * @param options.returnTo where that page leads afterwards; its origin must be that of a redirect URI of the app
   */
  signOut(options?: { returnTo?: string }): Promise<string>;
}

/** A stored session. When its token expires it is renewed once, however many calls need it. */
export function createSession(options: SessionOptions): Session {
  const app = { ...options, baseUrl: baseOf(options.baseUrl) };
  const { baseUrl, clientId, redirectUri } = app;
  const prefix = `dtplatform:${baseUrl}:${clientId}`;
  const store = options.store ?? (hasBrowserStore() ? browserStore(prefix) : memoryStore());
  let renewing: Promise<string> | undefined;

  async function stored(): Promise<Tokens | undefined> {
    const text = await store.get('tokens');
    return text === undefined ? undefined : (JSON.parse(text) as Tokens);
  }
  const keep = (tokens?: Tokens) => store.set('tokens', tokens && JSON.stringify(tokens));

  /** Reads the store again under the lock: another tab or process may have renewed the session. */
  const renew = (rejected?: string) =>
    store.exclusive(async () => {
      const tokens = await stored();
      if (tokens && isFresh(tokens) && tokens.accessToken !== rejected) return tokens.accessToken;
      if (tokens?.refreshToken === undefined) throw new SignedOutError('There is no session. Sign in.');
      const next = await requestTokens(app, { grant_type: 'refresh_token', refresh_token: tokens.refreshToken }).catch(
        async (error: unknown) => {
          if (error instanceof SignedOutError) await keep();
          throw error;
        },
      );
      await keep(next);
      return next.accessToken;
    });

  return {
    async token({ rejected, signal } = {}) {
      const tokens = await stored();
      if (tokens && isFresh(tokens) && tokens.accessToken !== rejected) return tokens.accessToken;
      renewing ??= renew(rejected).finally(() => (renewing = undefined));
      return unlessAborted(renewing, signal);
    },

    async begin() {
      const [verifier, state] = [randomText(), randomText()];
      await store.set(`sign-in:${state}`, verifier);
      const query = new URLSearchParams({
        ...{ response_type: 'code', client_id: clientId, redirect_uri: redirectUri, scope: 'read write', state },
        ...{ code_challenge: await challengeOf(verifier), code_challenge_method: 'S256' },
      });
      return `${baseUrl}/passportsvc/api/v2/oauth/authorize?${query.toString()}`;
    },

    async complete(url) {
      const { searchParams } = new URL(url);
      const state = `sign-in:${searchParams.get('state') ?? ''}`;
      const verifier = await store.get(state);
      if (verifier === undefined) throw new SignInError('This sign-in was not started here.', 'unknown_state');
      await store.set(state);
      const error = searchParams.get('error');
      if (error !== null) throw new SignInError(searchParams.get('error_description') ?? error, error);
      const grant = { grant_type: 'authorization_code', code: searchParams.get('code') ?? '' };
      const tokens = await exchange(app, { ...grant, redirect_uri: redirectUri, code_verifier: verifier });
      // A renewal of the previous session must not replace or remove this one.
      await store.exclusive(() => keep(tokens));
    },

    isSignedIn: async () => (await stored()) !== undefined,

    async signOut({ returnTo } = {}) {
      await store.exclusive(async () => {
        const tokens = await stored();
        await keep();
        // The user has left, even if the platform is unavailable or has already ended the session.
        if (tokens?.refreshToken !== undefined) await revokeTokens(app, tokens.refreshToken).catch(() => undefined);
      });
      const query = { client_id: clientId, ...(returnTo !== undefined && { post_logout_redirect_uri: returnTo }) };
      return `${baseUrl}/passportsvc/api/v1/logout?${new URLSearchParams(query).toString()}`;
    },
  };
}

/** An invalid code means that the sign-in took too long, not that a session was lost. */
function exchange(app: AppCredentials, grant: Record<string, string>): Promise<Tokens> {
  return requestTokens(app, grant).catch((error: unknown) => {
    if (!(error instanceof SignedOutError)) throw error;
    throw new SignInError('The sign-in took too long, or was already completed. Try again.', 'invalid_grant');
  });
}
