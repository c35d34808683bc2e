import { request } from 'undici';
import { closedLoop } from '../counts/closed-loop.js';
import { argument, finish } from './program.js';

/** GET requests of one client, one by one. */
export interface OneByOneLoad {
  urls: string[];
  token?: string;
  seconds: number;
}

const { urls, token, seconds } = argument<OneByOneLoad>();
const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
const { p50Ms, requests } = await closedLoop((n) => get(urls[n % urls.length]!), { callers: 1, seconds });
finish({ perSecond: 1000 / p50Ms, done: requests, p50Ms });

async function get(url: string): Promise<void> {
  const { statusCode, body } = await request(url, { headers });
  const response = await body.text();
  if (statusCode !== 200) throw new Error(`${url} answered ${statusCode}: ${response.slice(0, 300)}`);
}
