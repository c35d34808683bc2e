import type { Bench } from '../bench.js';
import { type CodeEndpoints, sessionCookie } from '../load/code-flow.js';
import type { CodeLoad } from '../load/code-load.js';
import type { Contest, Side } from '../measure.js';
import { programSide } from '../program-side.js';
import type { BareOidcProvider } from '../references/bare-oidc-provider.js';
import type { Row } from '../row.js';

const CONNECTIONS = 16;
const SECONDS = 4;

export const codeAndRefresh: Row = {
  row: 'code-and-refresh',
  unit: 'sign-in',
  reach: 2,
  about:
    'code with PKCE, its tokens, one refresh; beside oidc-provider alone with a MongoDB adapter and majority writes',
  prepare: (bench) => contest(bench, { url: bench.stack.backends.mongoUrl, database: 'bench_oidc_provider' }),
};

export const codeAndRefreshInMemory: Row = {
  row: 'code-and-refresh-limit',
  unit: 'sign-in',
  reach: 0.5,
  about: 'the same, stored durably; beside oidc-provider alone with its memory adapter, which stores nothing',
  prepare: (bench) => contest(bench),
};

async function contest({ serve, serviceOf, stack, user }: Bench, mongo?: BareOidcProvider['mongo']): Promise<Contest> {
  const { appId: clientId, redirectUri } = stack.dev;
  const { url, pid } = serviceOf('passportsvc');
  const oauth = `${url}/passportsvc/api/v2/oauth`;
  const ours = { authorizeUrl: `${oauth}/authorize`, tokenUrl: `${oauth}/token`, clientId, redirectUri };
  const options: BareOidcProvider = {
    client: {
      ...{ client_id: clientId, redirect_uris: [redirectUri], token_endpoint_auth_method: 'none' },
      ...{ grant_types: ['authorization_code', 'refresh_token'], response_types: ['code'] },
    },
    ...(mongo && { mongo }),
  };
  const bare = await serve('references/bare-oidc-provider', options);
  const theirs = { authorizeUrl: `${bare.url}/auth`, tokenUrl: `${bare.url}/token`, clientId, redirectUri };
  return { ours: await signInSide(ours, user, pid), reference: await signInSide(theirs, user, bare.pid) };
}

/** Sign-ins per second of a user whose browser has a session. */
async function signInSide(endpoints: CodeEndpoints, { credentials }: Bench['user'], pid: number): Promise<Side> {
  const cookie = await sessionCookie(endpoints, credentials);
  const argument = { ...endpoints, cookie, connections: CONNECTIONS };
  return programSide<CodeLoad>('load/code-load', argument, { seconds: SECONDS, pid });
}
