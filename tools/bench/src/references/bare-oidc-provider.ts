import { createServer } from 'node:http';
import { exportJWK, generateKeyPair } from 'jose';
import Provider from 'oidc-provider';
import { argument } from '../load/argument.js';
import { serve } from './serve.js';

export interface BareOidcProvider {
  clientId: string;
  clientSecret: string;
}

/** oidc-provider alone, in memory, issuing JWT access tokens signed with ES256. */
const { clientId, clientSecret } = argument<BareOidcProvider>();
const { privateKey } = await generateKeyPair('ES256', { extractable: true });
const API = 'urn:dtplatform:bench';

const provider = new Provider('http://127.0.0.1', {
  jwks: { keys: [{ ...(await exportJWK(privateKey)), alg: 'ES256', use: 'sig' }] },
  clients: [
    {
      ...{ client_id: clientId, client_secret: clientSecret, token_endpoint_auth_method: 'client_secret_basic' },
      ...{ grant_types: ['client_credentials'], response_types: [], redirect_uris: [] },
      id_token_signed_response_alg: 'ES256',
    },
  ],
  scopes: ['read', 'write'],
  features: {
    devInteractions: { enabled: false },
    clientCredentials: { enabled: true },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => API,
      getResourceServerInfo: () => ({
        scope: 'read write',
        audience: API,
        accessTokenFormat: 'jwt',
        jwt: { sign: { alg: 'ES256' } },
      }),
    },
  },
});
const answer = provider.callback();
serve(
  createServer((req, res) => void answer(req, res)),
  '/token',
);
