import type { IncomingMessage, ServerResponse } from 'node:http';
import type { JWK } from 'jose';
import type { SigningAlgorithm } from '../../../domain/keys/key-plan.js';
import type { SigningKeys } from '../../../domain/keys/signing-keys.js';
import { authorizeUrl } from './authorize-url.js';
import { toLibraryRequest } from './library-request.js';
import { openConsent } from './open-consent.js';
import type { OpenConsent } from './open-consent.js';
import type { PageRequest } from './open-interaction.js';
import { openSignIn } from './open-sign-in.js';
import type { OpenSignIn } from './open-sign-in.js';
import { SESSION_COOKIE_PATH } from './provider-settings.js';
import { createProvider } from './provider.js';
import { startSession } from './start-session.js';
import type { ProviderDeps } from './provider.js';

export interface BrowserSession {
  uid: string;
  userId: string;
}

/** The browser's side of the OAuth server, on the oidc-provider library. Methods reject until the signing keys are loaded. */
export interface OAuthProvider {
  issuer: URL;
  /** Answers an authorization request with a redirect to the sign-in page or back to the app. */
  authorize(req: IncomingMessage, res: ServerResponse): Promise<void>;
  /**
   * Answers a request with the library. Failures that are not the caller's fault are thrown before anything is sent.
   * @param url path below the issuer, with the query
   */
  answer(url: string, req: IncomingMessage, res: ServerResponse): Promise<void>;
  /** The sign-in that the request's cookie refers to; undefined when it has expired. */
  openSignIn(page: PageRequest): Promise<OpenSignIn | undefined>;
  /** The consent that the request's cookie refers to; undefined when it has expired or the user is no longer signed in. */
  openConsent(page: PageRequest): Promise<OpenConsent | undefined>;
  /** The session of a browser in which a user is signed in. */
  sessionOf(req: IncomingMessage, res: ServerResponse): Promise<BrowserSession | undefined>;
  /** Starts a session of this user in the browser, in place of the one it has. */
  signIn(req: IncomingMessage, res: ServerResponse, userId: string): Promise<void>;
  /** Ends the browser's session. */
  signOut(req: IncomingMessage, res: ServerResponse): Promise<void>;
}

interface Deps extends Omit<ProviderDeps, 'keys' | 'algorithm' | 'cookieKey'> {
  signingKeys: SigningKeys;
  /** Signs the cookies; known once the signing keys are loaded. */
  cookieKey: () => string;
}

export function createOAuthProvider(deps: Deps): OAuthProvider {
  const issuer = new URL(deps.issuer);
  let current: Library | undefined;

  /** The library reads its keys once, so it is set up again when they change; requests that it already answers continue. */
  async function library(): Promise<Library> {
    const keys = await deps.signingKeys();
    if (current?.keys !== keys) current = createLibrary(keys, deps);
    return current;
  }

  async function answer(url: string, req: IncomingMessage, res: ServerResponse): Promise<void> {
    const { callback } = await library();
    const request = toLibraryRequest(req, issuer, url);
    await callback(request, res);
    if (!request.failure) return;
    // The library has already set its own redirect.
    res.removeHeader('location');
    throw request.failure;
  }

  return {
    issuer,
    answer,
    authorize: (req, res) => answer(authorizeUrl(req), req, res),
    openSignIn: async (page) => openSignIn((await library()).provider, page),
    openConsent: async (page) => openConsent((await library()).provider, page),
    async sessionOf(req, res) {
      const { provider } = await library();
      const { uid, accountId } = await provider.Session.get(provider.createContext(req, res));
      return accountId === undefined ? undefined : { uid, userId: accountId };
    },
    signIn: async (req, res, userId) => startSession((await library()).provider, { issuer, req, res, userId }),
    async signOut(req, res) {
      const { provider } = await library();
      const context = provider.createContext(req, res);
      const session = await provider.Session.get(context);
      if (session.accountId !== undefined) await session.destroy();
      context.cookies.set(provider.cookieName('session'), null, { path: SESSION_COOKIE_PATH });
    },
  };
}

interface Library {
  keys: JWK[];
  provider: ReturnType<typeof createProvider>;
  callback: ReturnType<ReturnType<typeof createProvider>['callback']>;
}

function createLibrary(keys: JWK[], deps: Deps): Library {
  const algorithm = keys[0]!.alg as SigningAlgorithm;
  const provider = createProvider({ ...deps, keys, algorithm, cookieKey: deps.cookieKey() });
  return { keys, provider, callback: provider.callback() };
}
