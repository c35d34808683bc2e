import { setTimeout as delay } from 'node:timers/promises';
import { request } from 'undici';
import { argument, finish } from './program.js';

/** Requests at a constant rate, whether or not earlier ones have responses. */
export interface LatencyLoad {
  url: string;
  headers: Record<string, string>;
  body: string;
  everyMs: number;
  seconds: number;
}

const { url, headers, body, everyMs, seconds } = argument<LatencyLoad>();
const begun = performance.now();
const times: Promise<number>[] = [];
while (performance.now() - begun < seconds * 1000) {
  times.push(timeOfOne());
  await delay(Math.max(0, begun + times.length * everyMs - performance.now()));
}
const sorted = (await Promise.all(times)).sort((a, b) => a - b);
const p99Ms = sorted[Math.floor(sorted.length * 0.99)]!;
finish({ perSecond: 1000 / p99Ms, done: sorted.length, p99Ms });

async function timeOfOne(): Promise<number> {
  const sent = performance.now();
  const { statusCode, body: response } = await request(url, { method: 'POST', headers, body });
  await response.dump();
  if (statusCode !== 200) throw new Error(`${url} answered ${statusCode}`);
  return performance.now() - sent;
}
