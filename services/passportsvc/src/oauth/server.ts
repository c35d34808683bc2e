import type { IncomingMessage, ServerResponse } from 'node:http';
import { createLocalJWKSet } from 'jose';
import type { JWTVerifyGetKey } from 'jose';
import type { Provider } from 'oidc-provider';
import { loadSigningKeys, publicPart } from '../domain/signing-keys.js';
import type { SigningKeyStore } from '../domain/signing-keys.js';
import { createProvider } from './provider.js';
import type { ProviderDeps } from './provider.js';
import type { LibraryRequest } from './library-request.js';

/** The authorization server of the platform. */
export interface OAuthServer {
  issuer: URL;
  /** Resolves when the signing keys are there; until then everything else throws what hinders it. */
  ready(): Promise<void>;
  provider(): Promise<Provider>;
  /** Answers a request. @throws what is not the caller's fault, with nothing sent */
  answer(request: LibraryRequest, res: ServerResponse): Promise<void>;
  /** The public keys, for verifying the tokens that come back to this service. */
  keys: JWTVerifyGetKey;
}

interface Running {
  provider: Provider;
  callback: (req: IncomingMessage, res: ServerResponse) => Promise<void>;
  keys: JWTVerifyGetKey;
}

export function createOAuthServer(
  deps: Omit<ProviderDeps, 'keys'> & { keyStore: SigningKeyStore; keyEncryptionKey: Buffer },
): OAuthServer {
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
    async answer(request, res) {
      const { callback } = await run();
      await callback(request, res);
      if (!request.oauth.failure) return;
      // What the library had in mind to answer.
      res.removeHeader('location');
      throw request.oauth.failure;
    },
    keys: async (header, token) => (await run()).keys(header, token),
  };
}

async function start(deps: Parameters<typeof createOAuthServer>[0]): Promise<Running> {
  const keys = await loadSigningKeys(deps.keyStore, deps.algorithm, deps.keyEncryptionKey);
  const provider = createProvider({ ...deps, keys });
  return { provider, callback: provider.callback(), keys: createLocalJWKSet({ keys: keys.map(publicPart) }) };
}
