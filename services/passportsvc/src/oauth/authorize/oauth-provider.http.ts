import type { IncomingMessage, ServerResponse } from 'node:http';
import { Provider } from 'oidc-provider';
import type { JWK } from 'jose';
import type { SigningAlgorithm } from '../keys/key-rotation.js';
import type { SigningKeys } from '../keys/signing-keys.js';
import type { AccessTokens } from '../token/access-tokens.js';
import type { FindApp } from '../token/known.js';
import { createAdapters } from './adapters.http.js';
import type { AdapterStores } from './adapters.http.js';
import { useApps } from './clients.http.js';
import { openConsent, openSignIn } from './interactions.http.js';
import type { OpenConsent, OpenSignIn, PageRequest } from './interactions.http.js';
import { providerSettings, SESSION_COOKIE_PATH, SESSION_TTL_SEC } from './provider-settings.http.js';
import type { ProviderSettings } from './provider-settings.http.js';
import { authorizeUrl, IMPLICIT, respondImplicitly, useResponses } from './responses.http.js';

interface ProviderDeps extends Omit<ProviderSettings, 'adapter'> {
  issuer: string;
  findApp: FindApp;
  accessTokens: AccessTokens;
  stores: AdapterStores;
}

/**
 * The OAuth library, configured for the platform. It takes a browser through the sign-in to a code, and publishes keys
 * and metadata. The platform has its own token endpoint.
 */
function createProvider(deps: ProviderDeps): Provider {
  const provider = new Provider(deps.issuer, providerSettings({ ...deps, adapter: createAdapters(deps.stores) }));
  // The library derives URLs and cookie flags from the forwarding headers, which toLibraryRequest sets to the issuer.
  provider.proxy = true;
  useApps(provider, deps.findApp);
  useResponses(provider, deps.algorithm);
  provider.registerResponseMode(IMPLICIT, respondImplicitly(deps));
  return provider;
}

export interface LibraryRequest extends IncomingMessage {
  originalUrl: string;
  /** Why the request failed, unless it is the caller's fault. */
  failure?: unknown;
}

/**
 * Prepares a request for the OAuth library, which derives its URLs from the issuer, whatever the request's host and
 * path.
 * @param url path below the issuer, with the query
 */
function toLibraryRequest(req: IncomingMessage, issuer: URL, url: string): LibraryRequest {
  const request = req as LibraryRequest;
  request.url = url;
  request.originalUrl = issuer.pathname + url;
  const { headers } = request;
  headers.host = issuer.host;
  headers['x-forwarded-host'] = issuer.host;
  headers['x-forwarded-proto'] = issuer.protocol.slice(0, -1);
  return request;
}

interface NewSession {
  issuer: URL;
  req: IncomingMessage;
  res: ServerResponse;
  userId: string;
}

/**
 * Starts a session with a new id, as the library does after a sign-in: a cookie from before the sign-in is worthless.
 */
async function startSession(provider: Provider, { issuer, req, res, userId }: NewSession): Promise<void> {
  const context = provider.createContext(req, res);
  const before = await provider.Session.get(context);
  if (before.accountId !== undefined) await before.destroy();
  const session = new provider.Session();
  session.loginAccount({ accountId: userId });
  await session.save(SESSION_TTL_SEC);
  // The browser's connection is to the issuer, not to this process.
  context.cookies.secure = issuer.protocol === 'https:';
  context.cookies.set(provider.cookieName('session'), session.jti, {
    httpOnly: true,
    sameSite: 'lax',
    signed: true,
    path: SESSION_COOKIE_PATH,
    expires: new Date(session.exp * 1000),
  });
}

export interface BrowserSession {
  uid: string;
  userId: string;
}

interface Deps extends Omit<ProviderDeps, 'keys' | 'algorithm' | 'cookieKey'> {
  signingKeys: SigningKeys;
  /** Signs the cookies. Available once the signing keys are loaded. */
  cookieKey: () => string;
}

/** The browser side of the OAuth server, on oidc-provider. Methods reject until the signing keys are loaded. */
export function createOAuthProvider(deps: Deps) {
  const issuer = new URL(deps.issuer);
  let current: Library | undefined;

  /** The library reads its keys once, so a key change builds a new instance; running requests finish on the old one. */
  async function library(): Promise<Library> {
    const keys = await deps.signingKeys();
    if (current?.keys !== keys) current = createLibrary(keys, deps);
    return current;
  }

  async function respond(url: string, req: IncomingMessage, res: ServerResponse): Promise<void> {
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
    /**
     * Serves a request with the library. Throws failures that are not the caller's fault before anything is sent.
     * @param url path below the issuer, with the query
     */
    respond,
    authorize: (req: IncomingMessage, res: ServerResponse): Promise<void> => respond(authorizeUrl(req), req, res),
    openSignIn: async (page: PageRequest): Promise<OpenSignIn | undefined> =>
      openSignIn((await library()).provider, page),
    openConsent: async (page: PageRequest): Promise<OpenConsent | undefined> =>
      openConsent((await library()).provider, page),
    async sessionOf(req: IncomingMessage, res: ServerResponse): Promise<BrowserSession | undefined> {
      const { provider } = await library();
      const { uid, accountId } = await provider.Session.get(provider.createContext(req, res));
      return accountId === undefined ? undefined : { uid, userId: accountId };
    },
    signIn: async (req: IncomingMessage, res: ServerResponse, userId: string): Promise<void> =>
      startSession((await library()).provider, { issuer, req, res, userId }),
    async signOut(req: IncomingMessage, res: ServerResponse): Promise<void> {
      const { provider } = await library();
      const context = provider.createContext(req, res);
      const session = await provider.Session.get(context);
      if (session.accountId !== undefined) await session.destroy();
      context.cookies.set(provider.cookieName('session'), null, { path: SESSION_COOKIE_PATH });
    },
  };
}

export type OAuthProvider = ReturnType<typeof createOAuthProvider>;

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
