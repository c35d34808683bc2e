import { request } from 'undici';
import { argument } from './argument.js';

/** GET requests of one client, one by one. */
export interface OneByOneLoad {
  urls: string[];
  headers: Record<string, string>;
  seconds: number;
}

export interface OneByOneLoadResult {
  /** The median response time. */
  p50Ms: number;
  requests: number;
}

const { urls, headers, seconds } = argument<OneByOneLoad>();
const times: number[] = [];
const begun = performance.now();
while (performance.now() - begun < seconds * 1000) times.push(await timeOf(urls[times.length % urls.length]!));
const p50Ms = times.sort((a, b) => a - b)[Math.floor(times.length / 2)]!;
console.log(JSON.stringify({ p50Ms, requests: times.length } satisfies OneByOneLoadResult));
process.exit(0); // Keep-alive connections.

async function timeOf(url: string): Promise<number> {
  const sent = performance.now();
  const { statusCode, body } = await request(url, { headers });
  const response = await body.text();
  if (statusCode !== 200) throw new Error(`${url} answered ${statusCode}: ${response.slice(0, 300)}`);
  return performance.now() - sent;
}
