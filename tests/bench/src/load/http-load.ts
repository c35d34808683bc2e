import autocannon from 'autocannon';
import { argument, finish } from './program.js';

/** Requests that all connections send repeatedly. */
export interface HttpLoad {
  /** Each connection has its own order, so that no two send the same request at the same time. */
  urls: string[];
  method: 'GET' | 'POST';
  headers: Record<string, string>;
  body?: string;
  connections: number;
  seconds: number;
}

const { urls, method, headers, body, connections, seconds } = argument<HttpLoad>();
const [url] = urls as [string];
const paths = urls.map((each) => each.slice(new URL(url).origin.length));
const result = await autocannon({
  ...{ url, method, headers, body, connections, duration: seconds, timeout: 10 },
  setupClient: (client) => client.setRequests(shuffled(paths).map((path) => ({ path, method, headers, body }))),
});
if (result.errors > 0 || result.non2xx > 0)
  throw new Error(`${method} ${url}: ${result.errors} errors, ${result.non2xx} answers that were not 2xx`);
const { total } = result.requests;
finish({ perSecond: total / result.duration, done: total });

/** Fisher–Yates shuffle. */
function shuffled<T>(values: readonly T[]): T[] {
  const result = [...values];
  for (let last = result.length - 1; last > 0; last -= 1) {
    const other = Math.floor(Math.random() * (last + 1));
    [result[last], result[other]] = [result[other]!, result[last]!];
  }
  return result;
}
