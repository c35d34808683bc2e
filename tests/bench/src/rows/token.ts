import { httpSide } from '../http-side.js';
import type { BareOidcProvider } from '../references/bare-oidc-provider.js';
import type { Row } from '../row.js';

export const token: Row = {
  row: 'token',
  unit: 'token',
  reach: 1.2,
  about: 'client credentials, an ES256 JWT; beside oidc-provider alone with its memory adapter and a fixed client',
  async prepare({ serve, serviceOf, stack }) {
    const { appId: clientId, appSecret: clientSecret } = stack.dev;
    const basic = Buffer.from(`${clientId}:${clientSecret}`).toString('base64');
    const request = {
      headers: { authorization: `Basic ${basic}`, 'content-type': 'application/x-www-form-urlencoded' },
      body: 'grant_type=client_credentials&scope=read+write',
    };
    const options: BareOidcProvider = {
      client: {
        ...{ client_id: clientId, client_secret: clientSecret, token_endpoint_auth_method: 'client_secret_basic' },
        ...{ grant_types: ['client_credentials'], response_types: [], redirect_uris: [] },
      },
    };
    const bare = await serve('references/bare-oidc-provider', options);
    const { url, pid } = serviceOf('passportsvc');
    const ourUrl = `${url}/passportsvc/api/v1/oauth/token`;
    const bareUrl = `${bare.url}/token`;
    await Promise.all([ourUrl, bareUrl].map((each) => assertJwt(each, request)));
    return {
      ours: httpSide({ ...request, pid, urls: [ourUrl] }),
      reference: httpSide({ ...request, pid: bare.pid, urls: [bareUrl] }),
    };
  },
};

/** Both sides must do the same work: a JWT signed with ES256. */
async function assertJwt(url: string, request: RequestInit): Promise<void> {
  const response = await fetch(url, { ...request, method: 'POST' });
  const { access_token = '' } = (await response.json()) as { access_token?: string };
  const header = Buffer.from(access_token.split('.')[0]!, 'base64url').toString();
  if (!header.includes('"alg":"ES256"')) throw new Error(`${url} answered ${response.status} without an ES256 JWT`);
}
