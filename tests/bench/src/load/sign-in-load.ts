import { signInAsBrowser } from '@dtplatform/stack/client';
import { argument } from './argument.js';

/** A user who signs in repeatedly, each time in a new browser. */
export interface SignInLoad {
  authorizeUrl: string;
  redirectUri: string;
  user: { email: string; password: string };
  browsers: number;
  seconds: number;
}

export interface SignInLoadResult {
  signInsPerSecond: number;
  signIns: number;
}

const { authorizeUrl, redirectUri, user, browsers, seconds } = argument<SignInLoad>();
const begun = performance.now();
let signIns = 0;
await Promise.all(Array.from({ length: browsers }, signInUntilTheEnd));
const elapsedSec = (performance.now() - begun) / 1000;
console.log(JSON.stringify({ signInsPerSecond: signIns / elapsedSec, signIns } satisfies SignInLoadResult));
process.exit(0); // Keep-alive connections.

async function signInUntilTheEnd(): Promise<void> {
  while (performance.now() - begun < seconds * 1000) {
    const back = await signInAsBrowser(new URL(authorizeUrl), user, { redirectUri });
    if (!back.searchParams.has('code')) throw new Error(`a sign-in ended at ${back.href}`);
    signIns += 1;
  }
}
