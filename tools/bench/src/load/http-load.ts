import autocannon from 'autocannon';
import { argument } from './argument.js';

/** One request, sent over and over by all connections. */
export interface HttpLoad {
  url: string;
  method: 'GET' | 'POST';
  headers: Record<string, string>;
  body?: string;
  connections: number;
  seconds: number;
}

export interface HttpLoadResult {
  requestsPerSecond: number;
}

const { url, method, headers, body, connections, seconds } = argument<HttpLoad>();
const result = await autocannon({ url, method, headers, body, connections, duration: seconds, timeout: 10 });
if (result.errors > 0 || result.non2xx > 0)
  throw new Error(`${method} ${url}: ${result.errors} errors, ${result.non2xx} answers that were not 2xx`);
console.log(JSON.stringify({ requestsPerSecond: result.requests.total / result.duration } satisfies HttpLoadResult));
