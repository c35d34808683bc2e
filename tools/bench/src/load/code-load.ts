import { createHash, randomBytes } from 'node:crypto';
import { Pool } from 'undici';
import { argument } from './argument.js';

/** Users who are signed in, opening an application over and over: a code with PKCE, its tokens, and one refresh. */
export interface CodeLoad {
  authorizeUrl: string;
  tokenUrl: string;
  clientId: string;
  redirectUri: string;
  /** The browser's cookies. */
  cookie: string;
  connections: number;
  seconds: number;
}

export interface CodeLoadResult {
  signInsPerSecond: number;
  signIns: number;
}

interface Tokens {
  access_token?: string;
  refresh_token?: string;
}

const { authorizeUrl, tokenUrl, clientId, redirectUri, cookie, connections, seconds } = argument<CodeLoad>();
const pool = new Pool(new URL(authorizeUrl).origin, { connections });
const begun = performance.now();
let signIns = 0;
await Promise.all(Array.from({ length: connections }, signInUntilTheEnd));
const elapsedSec = (performance.now() - begun) / 1000;
console.log(JSON.stringify({ signInsPerSecond: signIns / elapsedSec, signIns } satisfies CodeLoadResult));
await pool.close();

async function signInUntilTheEnd(): Promise<void> {
  while (performance.now() - begun < seconds * 1000) {
    const verifier = randomBytes(32).toString('base64url');
    const code = await codeFor(verifier);
    const proof = { grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: verifier };
    const { refresh_token = '' } = await tokensFor(proof);
    const refreshed = await tokensFor({ grant_type: 'refresh_token', refresh_token });
    if (!refreshed.access_token || !refreshed.refresh_token) throw new Error('a refresh gave no new tokens');
    signIns += 1;
  }
}

async function codeFor(verifier: string): Promise<string> {
  const query = new URLSearchParams({
    ...{ response_type: 'code', client_id: clientId, redirect_uri: redirectUri, scope: 'read write', state: 'bench' },
    ...{ code_challenge: createHash('sha256').update(verifier).digest('base64url'), code_challenge_method: 'S256' },
  });
  const { pathname } = new URL(authorizeUrl);
  const { headers, body } = await pool.request({
    ...{ method: 'GET', path: `${pathname}?${query.toString()}`, headers: { cookie } },
  });
  await body.dump();
  const location = String(headers.location);
  const code = new URL(location, authorizeUrl).searchParams.get('code');
  if (code === null) throw new Error(`${pathname} redirected to ${location}`);
  return code;
}

async function tokensFor(parameters: Record<string, string>): Promise<Tokens> {
  const { statusCode, body } = await pool.request({
    ...{ method: 'POST', path: new URL(tokenUrl).pathname },
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ ...parameters, client_id: clientId }).toString(),
  });
  const tokens = (await body.json()) as Tokens;
  if (statusCode !== 200) throw new Error(`${parameters.grant_type}: ${statusCode} ${JSON.stringify(tokens)}`);
  return tokens;
}
