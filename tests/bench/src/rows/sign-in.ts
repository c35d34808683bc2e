import { availableParallelism } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import type { Bench } from '../bench.js';
import { runProgram } from '../child.js';
import { WARM_UP_SECONDS } from '../http-side.js';
import type { HashLoad, HashLoadResult } from '../load/hash-load.js';
import type { LatencyLoad, LatencyLoadResult } from '../load/latency-load.js';
import type { SignInLoad, SignInLoadResult } from '../load/sign-in-load.js';
import type { Round, Side } from '../measure.js';
import type { Row } from '../row.js';
import { usageDuring } from '../usage.js';

const BROWSERS = 8;
/** Concurrent hashes of one passportsvc process (its scim/users/passwords.ts). */
const HASHES_AT_ONCE = Math.min(2, Math.max(1, availableParallelism() - 1));
const SECONDS = 6;
const REQUEST_EVERY_MS = 20;
/** Sign-ins run this long before the first timed request, and after the last. */
const MARGIN_SECONDS = 1.5;

const sideOf = (load: (seconds: number) => Promise<Round>): Side => ({
  run: () => load(SECONDS),
  warmUp: () => load(WARM_UP_SECONDS),
});

export const signIn: Row = {
  row: 'sign-in',
  unit: 'sign-in',
  reach: 0.9,
  about: 'sign-in form with a password, up to the code; beside its scrypt hash alone, as many at once',
  prepare: (bench) =>
    Promise.resolve({
      ours: sideOf(async (seconds) => {
        const { pid } = bench.serviceOf('passportsvc');
        const { result, usage } = await usageDuring(pid, () => signInsFor(seconds, bench));
        return { perSecond: result.signInsPerSecond, done: result.signIns, usage };
      }),
      reference: sideOf(async (seconds) => {
        const argument: HashLoad = { atOnce: HASHES_AT_ONCE, seconds };
        const { hashesPerSecond, hashes } = await runProgram<HashLoadResult>('load/hash-load', argument);
        return { perSecond: hashesPerSecond, done: hashes };
      }),
    }),
};

export const besideSignIns: Row = {
  row: 'beside-sign-ins',
  unit: '1/p99',
  reach: 0.5,
  about: 'p99 of 50 token requests per second while users sign in; beside the same without them (more is faster)',
  prepare: (bench) =>
    Promise.resolve({
      ours: sideOf(async (seconds) => {
        const signIns = signInsFor(seconds + 2 * MARGIN_SECONDS, bench);
        const requests = delay(MARGIN_SECONDS * 1000).then(() => tokensFor(seconds, bench));
        const [round] = await Promise.all([requests, signIns]);
        return round;
      }),
      reference: sideOf((seconds) => tokensFor(seconds, bench)),
    }),
};

function signInsFor(seconds: number, { serviceOf, stack, user }: Bench): Promise<SignInLoadResult> {
  const { appId, redirectUri } = stack.dev;
  const query = new URLSearchParams({
    ...{ response_type: 'code', client_id: appId, redirect_uri: redirectUri, scope: 'read write', state: 'bench' },
    ...{ code_challenge: 'A'.repeat(43), code_challenge_method: 'S256' },
  });
  const authorizeUrl = `${serviceOf('passportsvc').url}/passportsvc/api/v2/oauth/authorize?${query.toString()}`;
  const argument: SignInLoad = { authorizeUrl, redirectUri, user, browsers: BROWSERS, seconds };
  return runProgram<SignInLoadResult>('load/sign-in-load', argument);
}

async function tokensFor(seconds: number, { serviceOf, stack }: Bench): Promise<Round> {
  const basic = Buffer.from(`${stack.dev.appId}:${stack.dev.appSecret}`).toString('base64');
  const argument: LatencyLoad = {
    url: `${serviceOf('passportsvc').url}/passportsvc/api/v1/oauth/token`,
    headers: { authorization: `Basic ${basic}`, 'content-type': 'application/x-www-form-urlencoded' },
    body: 'grant_type=client_credentials',
    everyMs: REQUEST_EVERY_MS,
    seconds,
  };
  const { p99Ms, requests } = await runProgram<LatencyLoadResult>('load/latency-load', argument);
  return { perSecond: 1000 / p99Ms, done: requests, p99Ms };
}
