import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { exportJWK, generateKeyPair } from 'jose';
import Provider from 'oidc-provider';
import { argument } from '../load/argument.js';
import { serve } from './serve.js';

export interface BareSignIn {
  clientId: string;
  redirectUri: string;
}

/** oidc-provider alone, in memory. Whoever opens it is signed in at once and has agreed to everything. */
const { clientId, redirectUri } = argument<BareSignIn>();
const { privateKey } = await generateKeyPair('ES256', { extractable: true });
const API = 'urn:dtplatform:bench';

const provider: Provider = new Provider('http://127.0.0.1', {
  jwks: { keys: [{ ...(await exportJWK(privateKey)), alg: 'ES256', use: 'sig' }] },
  clients: [
    {
      ...{ client_id: clientId, token_endpoint_auth_method: 'none' },
      ...{ grant_types: ['authorization_code', 'refresh_token'], response_types: ['code'] },
      ...{ redirect_uris: [redirectUri], id_token_signed_response_alg: 'ES256' },
    },
  ],
  scopes: ['read', 'write'],
  cookies: { keys: ['bench'] },
  interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
  issueRefreshToken: () => Promise.resolve(true),
  // Sign-ins at the same time, in one session, must not end one another.
  expiresWithSession: () => false,
  async loadExistingGrant({ oidc }) {
    const grant = new provider.Grant({ accountId: oidc.session!.accountId!, clientId });
    grant.addOIDCScope('read write');
    grant.addResourceScope(API, 'read write');
    await grant.save();
    return grant;
  },
  features: {
    devInteractions: { enabled: false },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => API,
      useGrantedResource: () => true,
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
  createServer((req, res) => {
    const answered = req.url!.startsWith('/interaction/') ? signIn(req, res) : answer(req, res);
    answered.catch(() => res.destroy());
  }),
);

const signIn = (req: IncomingMessage, res: ServerResponse) =>
  provider.interactionFinished(req, res, { login: { accountId: 'somebody' } });
