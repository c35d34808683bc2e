import type { HttpLoad } from './load/http-load.js';
import type { Side } from './measure.js';
import { programSide } from './program-side.js';

const CONNECTIONS = 32;
const SECONDS = 4;

interface HttpRequests {
  urls: string[];
  /** The process that serves them. */
  pid: number;
  headers?: Record<string, string>;
  /** A bearer token. */
  token?: string;
  /** With a body, the requests are POST. */
  body?: string;
  /** The body, as JSON. */
  json?: unknown;
  /** Default 32. */
  connections?: number;
}

/** Requests per second, with the load from a separate process. */
export function httpSide({ urls, pid, token, json, connections = CONNECTIONS, ...request }: HttpRequests): Side {
  const body = json === undefined ? request.body : JSON.stringify(json);
  const headers = {
    ...request.headers,
    ...(json !== undefined && { 'content-type': 'application/json' }),
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
  };
  const load = { urls, headers, connections, ...(body === undefined ? { method: 'GET' } : { method: 'POST', body }) };
  return programSide<HttpLoad>('load/http-load', load as HttpLoad, { seconds: SECONDS, pid });
}

/** Throws unless both return the same JSON, because only then are they comparable. */
export async function assertSameJson(urls: [string, string], token: string): Promise<void> {
  const [first, second] = await Promise.all(
    urls.map(async (url) => {
      const response = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
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
