import { Pool } from 'undici';
import { type CodeEndpoints, createCodeFlow } from './code-flow.js';
import { argument, finish, repeat } from './program.js';

/** Signed-in users who repeatedly open an application: a code with PKCE, its tokens, and one refresh. */
export interface CodeLoad extends CodeEndpoints {
  /** The browser's cookies. */
  cookie: string;
  connections: number;
  seconds: number;
}

const { connections, seconds, ...flow } = argument<CodeLoad>();
const pool = new Pool(new URL(flow.authorizeUrl).origin, { connections });
finish(await repeat(connections, seconds, createCodeFlow(flow, pool)));
