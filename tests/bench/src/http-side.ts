import { runProgram } from './child.js';
import type { HttpLoad, HttpLoadResult } from './load/http-load.js';
import type { Round, Side } from './measure.js';
import { usageDuring } from './usage.js';

const CONNECTIONS = 32;
const SECONDS = 4;
/** Until the code is compiled: a request that passes many layers needs longer than one that passes few. */
export const WARM_UP_SECONDS = 8;

interface HttpRequests extends Pick<HttpLoad, 'urls' | 'headers' | 'body'> {
  method?: HttpLoad['method'];
  /** The process that serves them. */
  pid: number;
  /** Default 32. */
  connections?: number;
}

/** Requests per second, with the load from a separate process. */
export function httpSide({ pid, connections = CONNECTIONS, ...request }: HttpRequests): Side {
  const load = async (seconds: number): Promise<Round> => {
    const argument: HttpLoad = { method: 'GET', ...request, connections, seconds };
    const work = () => runProgram<HttpLoadResult>('load/http-load', argument);
    const { result, usage } = await usageDuring(pid, work);
    return { perSecond: result.requestsPerSecond, done: result.requests, usage };
  };
  return { run: () => load(SECONDS), warmUp: () => load(WARM_UP_SECONDS) };
}

/** Throws unless both return the same JSON, because only then are they comparable. */
export async function assertSameJson(urls: [string, string], headers: Record<string, string>): Promise<void> {
  const [first, second] = await Promise.all(
    urls.map(async (url) => {
      const response = await fetch(url, { headers });
      return `${response.status} ${JSON.stringify(sorted(await response.json()))}`;
    }),
  );
  if (first !== second) throw new Error(`${urls.join(' and ')} differ:\n${first}\n${second}`);
}

/** Sorts the fields of all objects. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).map(([name, field]): [string, unknown] => [name, sorted(field)]);
  return Object.fromEntries(fields.sort(([a], [b]) => (a < b ? -1 : 1)));
}
