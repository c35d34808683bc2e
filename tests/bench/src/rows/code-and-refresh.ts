import type { Bench } from '../bench.js';
import { runProgram, startServer } from '../child.js';
import { WARM_UP_SECONDS } from '../http-side.js';
import { type CodeEndpoints, sessionCookie } from '../load/code-flow.js';
import type { CodeLoad, CodeLoadResult } from '../load/code-load.js';
import type { Contest, Round, Side } from '../measure.js';
import type { BareOidcProvider } from '../references/bare-oidc-provider.js';
import type { Row } from '../row.js';
import { usageDuring } from '../usage.js';

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

async function contest({ serviceOf, stack, user }: Bench, mongo?: BareOidcProvider['mongo']): Promise<Contest> {
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
  const bare = await startServer('references/bare-oidc-provider', options);
  const theirs = { authorizeUrl: `${bare.url}/auth`, tokenUrl: `${bare.url}/token`, clientId, redirectUri };
  try {
    return {
      ours: await signInSide(ours, user, pid),
      reference: await signInSide(theirs, user, bare.pid),
      close: bare.stop,
    };
  } catch (error) {
    await bare.stop();
    throw error;
  }
}

/** Sign-ins per second of a user whose browser has a session. */
async function signInSide(
  endpoints: CodeEndpoints,
  user: { email: string; password: string },
  pid: number,
): Promise<Side> {
  const cookie = await sessionCookie(endpoints, user);
  const load = async (seconds: number): Promise<Round> => {
    const argument: CodeLoad = { ...endpoints, cookie, connections: CONNECTIONS, seconds };
    const work = () => runProgram<CodeLoadResult>('load/code-load', argument);
    const { result, usage } = await usageDuring(pid, work);
    return { perSecond: result.signInsPerSecond, done: result.signIns, usage };
  };
  return { run: () => load(SECONDS), warmUp: () => load(WARM_UP_SECONDS) };
}
