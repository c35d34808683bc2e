const TIMEOUT_MS = 60_000;

interface Call {
  query?: Record<string, string | number | boolean>;
  headers?: Record<string, string>;
  /** Sent as JSON. */
  json?: unknown;
  /** Sent unchanged: bytes, a form, a multipart form. */
  body?: Buffer | URLSearchParams | FormData;
  /** The expected status; 200 by default. */
  expect?: number;
}

interface Answer<T> {
  headers: Headers;
  /** Parsed from JSON; undefined if the body is not JSON. */
  body: T;
}

/** Calls the platform with one access token. */
export interface Caller {
  /** Undefined for an anonymous caller. */
  token: string | undefined;
  url(path: string, query?: Call['query']): URL;
  /** @throws UnexpectedAnswer when the status is not the expected one */
  call<T = unknown>(method: string, path: string, call?: Call): Promise<Answer<T>>;
  /** Like `call`, but does not read the body. */
  open(method: string, path: string, call?: Call): Promise<Response>;
}

/** An unexpected response; the message names the request and the response. */
export class UnexpectedAnswer extends Error {
  status?: number;
  headers?: Headers;

  constructor(method: string, url: URL, expected: number | string, got: number | string, body: string) {
    super(
      `${method} ${url.pathname}${url.search} answered ${got}, not ${expected}: ${body.slice(0, 2000) || 'no body'}`,
    );
  }
}

export function createCaller(to: { baseUrl: string; token?: string; signal?: AbortSignal }): Caller {
  function url(path: string, query: Call['query'] = {}): URL {
    const target = new URL(path, to.baseUrl);
    for (const [name, value] of Object.entries(query)) target.searchParams.set(name, String(value));
    return target;
  }

  async function open(method: string, path: string, { query, expect = 200, ...call }: Call = {}): Promise<Response> {
    const target = url(path, query);
    const headers = new Headers(call.headers);
    if (to.token !== undefined) headers.set('authorization', `Bearer ${to.token}`);
    if (call.json !== undefined) headers.set('content-type', 'application/json');
    const body = call.json === undefined ? call.body : JSON.stringify(call.json);
    const signals = [AbortSignal.timeout(TIMEOUT_MS), ...(to.signal ? [to.signal] : [])];
    const response = await fetch(target, {
      ...{ method, headers, redirect: 'manual', signal: AbortSignal.any(signals) },
      body: body as RequestInit['body'],
    }).catch((error: unknown) => {
      to.signal?.throwIfAborted();
      throw new Error(`${method} ${target.href}: ${reasonOf(error)}`, { cause: error });
    });
    const { status } = response;
    if (status !== expect) {
      const unexpected = new UnexpectedAnswer(method, target, expect, status, await response.text());
      throw Object.assign(unexpected, { status, headers: response.headers });
    }
    return response;
  }

  async function call<T>(method: string, path: string, call?: Call): Promise<Answer<T>> {
    const { headers, ...response } = await read(await open(method, path, call));
    const isJson = /\bjson\b/.test(headers.get('content-type') ?? '') && response.text !== '';
    return { headers, body: (isJson ? JSON.parse(response.text) : undefined) as T };
  }

  return { token: to.token, url, call, open };
}

const read = async (response: Response) => ({ headers: response.headers, text: await response.text() });

/** fetch only reports that it failed; the reason is in the cause. */
function reasonOf(error: unknown): string {
  const { message, cause } = error as Error & { cause?: NodeJS.ErrnoException };
  const reason = cause?.message || cause?.code;
  return reason === undefined ? message : `${message} (${reason})`;
}
