import { availableParallelism } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import type { Bench } from '../bench.js';
import { runProgram } from '../child.js';
import type { HashLoad } from '../load/hash-load.js';
import type { LatencyLoad } from '../load/latency-load.js';
import type { SignInLoad } from '../load/sign-in-load.js';
import type { Round } from '../measure.js';
import { programSide, WARM_UP_SECONDS } from '../program-side.js';
import type { Row } from '../row.js';

const BROWSERS = 8;
/** Concurrent hashes of one passportsvc process (its scim/users/passwords.ts). */
const HASHES_AT_ONCE = Math.min(2, Math.max(1, availableParallelism() - 1));
const SECONDS = 6;
const REQUEST_EVERY_MS = 20;
/** Sign-ins run this long before the first timed request, and after the last. */
const MARGIN_SECONDS = 1.5;

export const signIn: Row = {
  row: 'sign-in',
  unit: 'sign-in',
  reach: 0.9,
  about: 'sign-in form with a password, up to the code; beside its scrypt hash alone, as many at once',
  prepare: (bench) => {
    const { pid } = bench.serviceOf('passportsvc');
    return Promise.resolve({
      ours: programSide<SignInLoad>('load/sign-in-load', signIns(bench), { seconds: SECONDS, pid }),
      reference: programSide<HashLoad>('load/hash-load', { atOnce: HASHES_AT_ONCE }, { seconds: SECONDS }),
    });
  },
};

export const besideSignIns: Row = {
  row: 'beside-sign-ins',
  unit: '1/p99',
  reach: 0.5,
  about: 'p99 of 50 token requests per second while users sign in; beside the same without them (more is faster)',
  prepare: (bench) => {
    const tokens = (seconds: number) => runProgram<Round>('load/latency-load', { ...tokenRequests(bench), seconds });
    const besides = async (seconds: number) => {
      const load: SignInLoad = { ...signIns(bench), seconds: seconds + 2 * MARGIN_SECONDS };
      const requests = delay(MARGIN_SECONDS * 1000).then(() => tokens(seconds));
      const [round] = await Promise.all([requests, runProgram('load/sign-in-load', load)]);
      return round;
    };
    return Promise.resolve({
      ours: { run: () => besides(SECONDS), warmUp: () => besides(WARM_UP_SECONDS) },
      reference: { run: () => tokens(SECONDS), warmUp: () => tokens(WARM_UP_SECONDS) },
    });
  },
};

function signIns({ serviceOf, stack, user }: Bench): Omit<SignInLoad, 'seconds'> {
  const { appId, redirectUri } = stack.dev;
  const query = new URLSearchParams({
    ...{ response_type: 'code', client_id: appId, redirect_uri: redirectUri, scope: 'read write', state: 'bench' },
    ...{ code_challenge: 'A'.repeat(43), code_challenge_method: 'S256' },
  });
  const authorizeUrl = `${serviceOf('passportsvc').url}/passportsvc/api/v2/oauth/authorize?${query.toString()}`;
  return { authorizeUrl, redirectUri, user: user.credentials, browsers: BROWSERS };
}

function tokenRequests({ serviceOf, stack }: Bench): Omit<LatencyLoad, 'seconds'> {
  const basic = Buffer.from(`${stack.dev.appId}:${stack.dev.appSecret}`).toString('base64');
  return {
    url: `${serviceOf('passportsvc').url}/passportsvc/api/v1/oauth/token`,
    headers: { authorization: `Basic ${basic}`, 'content-type': 'application/x-www-form-urlencoded' },
    body: 'grant_type=client_credentials',
    everyMs: REQUEST_EVERY_MS,
  };
}
