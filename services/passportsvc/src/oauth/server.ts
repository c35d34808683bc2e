import type { IncomingMessage, ServerResponse } from 'node:http';
import { createLocalJWKSet } from 'jose';
import type { JWTVerifyGetKey } from 'jose';
import type { Provider } from 'oidc-provider';
import { loadSigningKeys, publicPart } from '../domain/signing-keys.js';
import type { SigningKeyStore } from '../domain/signing-keys.js';
import type { LibraryRequest } from './authorize/library-request.js';
import { createProvider } from './authorize/provider.js';
import type { ProviderDeps } from './authorize/provider.js';
import { createAccessTokens } from './token/access-tokens.js';
import type { GrantDeps } from './token/grant.js';
import { createTokenEndpoint } from './token/token-endpoint.js';
import type { TokenEndpoint } from './token/token-endpoint.js';

/** The authorization server of the platform. Everything throws what hinders it while the signing keys are not there. */
export interface OAuthServer {
  issuer: URL;
  /** Resolves when the signing keys are there. */
  ready(): Promise<void>;
  provider(): Promise<Provider>;
  tokenEndpoint(): Promise<TokenEndpoint>;
  /** Answers a request with the OAuth library. @throws what is not the caller's fault, with nothing sent */
  answer(request: LibraryRequest, res: ServerResponse): Promise<void>;
  /** The public keys, for verifying the tokens that come back to this service. */
  keys: JWTVerifyGetKey;
}

type Deps = Omit<ProviderDeps, 'keys' | 'accessTokens'> &
  Omit<GrantDeps, 'accessTokens' | 'authorizations'> & {
    baseUrl: string;
    keyStore: SigningKeyStore;
    keyEncryptionKey: Buffer;
    appSecretKey: Buffer;
    accessTokenTtlSec: number;
  };

interface Running {
  provider: Provider;
  callback: (req: IncomingMessage, res: ServerResponse) => Promise<void>;
  tokenEndpoint: TokenEndpoint;
  keys: JWTVerifyGetKey;
}

export function createOAuthServer(deps: Deps): OAuthServer {
  let running: Promise<Running> | undefined;

  /** The first to need the keys loads them; when that fails, the next tries again. */
  function run(): Promise<Running> {
    if (running) return running;
    const starting = start(deps);
    running = starting;
    starting.catch(() => (running = undefined));
    return starting;
  }

  return {
    issuer: new URL(deps.issuer),
    ready: async () => void (await run()),
    provider: async () => (await run()).provider,
    tokenEndpoint: async () => (await run()).tokenEndpoint,
    async answer(request, res) {
      const { callback } = await run();
      await callback(request, res);
      if (!request.failure) return;
      // What the library had in mind to answer.
      res.removeHeader('location');
      throw request.failure;
    },
    keys: async (header, token) => (await run()).keys(header, token),
  };
}

async function start(deps: Deps): Promise<Running> {
  const keys = await loadSigningKeys(deps.keyStore, deps.algorithm, deps.keyEncryptionKey);
  const accessTokens = createAccessTokens({
    issuer: deps.issuer,
    audience: deps.baseUrl,
    key: keys[0]!,
    ttlSec: deps.accessTokenTtlSec,
  });
  const provider = createProvider({ ...deps, keys, accessTokens });
  return {
    provider,
    callback: provider.callback(),
    tokenEndpoint: createTokenEndpoint({ ...deps, accessTokens, authorizations: deps.stores.authorizations }),
    keys: createLocalJWKSet({ keys: keys.map(publicPart) }),
  };
}
