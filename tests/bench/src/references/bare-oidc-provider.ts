import type { IncomingMessage, ServerResponse } from 'node:http';
import { exportJWK, generateKeyPair } from 'jose';
import Provider from 'oidc-provider';
import type { ClientMetadata } from 'oidc-provider';
import { argument } from '../load/program.js';
import { mongodbAdapter } from './mongodb-adapter.js';
import { serve } from './serve.js';

export interface BareOidcProvider {
  /** The only client. */
  client: ClientMetadata;
  /** Durable storage. Defaults to memory. */
  mongo?: { url: string; database: string };
}

/**
 * oidc-provider alone, issuing JWT access tokens signed with ES256. It has no changes of apps and users, consents,
 * platform claims, revocation of access tokens, logs or metrics: anyone who opens its authorize endpoint is signed in
 * and has consented.
 */
const { client, mongo } = argument<BareOidcProvider>();
const adapter = mongo && (await mongodbAdapter(mongo.url, mongo.database));
const { privateKey } = await generateKeyPair('ES256', { extractable: true });
const API = 'urn:dtplatform:bench';
const SCOPE = 'read write';

const provider: Provider = new Provider('http://127.0.0.1', {
  jwks: { keys: [{ ...(await exportJWK(privateKey)), alg: 'ES256', use: 'sig' }] },
  ...(adapter && { adapter }),
  clients: [{ id_token_signed_response_alg: 'ES256', ...client }],
  scopes: SCOPE.split(' '),
  cookies: { keys: ['bench'] },
  interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
  issueRefreshToken: () => Promise.resolve(true),
  // Concurrent sign-ins in one session must not end one another.
  expiresWithSession: () => false,
  async loadExistingGrant({ oidc }) {
    const grant = new provider.Grant({ accountId: oidc.session!.accountId!, clientId: client.client_id });
    grant.addOIDCScope(SCOPE);
    grant.addResourceScope(API, SCOPE);
    await grant.save();
    return grant;
  },
  features: {
    devInteractions: { enabled: false },
    clientCredentials: { enabled: true },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => API,
      useGrantedResource: () => true,
      getResourceServerInfo: () => ({
        scope: SCOPE,
        audience: API,
        accessTokenFormat: 'jwt',
        jwt: { sign: { alg: 'ES256' } },
      }),
    },
  },
});
const answer = provider.callback();

serve((req, res) => {
  const answered = req.url!.startsWith('/interaction/') ? signIn(req, res) : answer(req, res);
  answered.catch(() => res.destroy());
});

const signIn = (req: IncomingMessage, res: ServerResponse) =>
  provider.interactionFinished(req, res, { login: { accountId: 'somebody' } });
