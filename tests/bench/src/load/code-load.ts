import { Pool } from 'undici';
import { argument } from './argument.js';
import { type CodeEndpoints, createCodeFlow } from './code-flow.js';

/** Signed-in users who repeatedly open an application: a code with PKCE, its tokens, and one refresh. */
export interface CodeLoad extends CodeEndpoints {
  /** The browser's cookies. */
  cookie: string;
  connections: number;
  seconds: number;
}

export interface CodeLoadResult {
  signInsPerSecond: number;
  signIns: number;
}

const { connections, seconds, ...flow } = argument<CodeLoad>();
const pool = new Pool(new URL(flow.authorizeUrl).origin, { connections });
const signIn = createCodeFlow(flow, pool);
const begun = performance.now();
let signIns = 0;
await Promise.all(Array.from({ length: connections }, signInUntilTheEnd));
const elapsedSec = (performance.now() - begun) / 1000;
console.log(JSON.stringify({ signInsPerSecond: signIns / elapsedSec, signIns } satisfies CodeLoadResult));
await pool.close();

async function signInUntilTheEnd(): Promise<void> {
  while (performance.now() - begun < seconds * 1000) {
    await signIn();
    signIns += 1;
  }
}
