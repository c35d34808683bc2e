import type { ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { AppError } from '@dtplatform/errors';
import { runInCall } from '@dtplatform/telemetry';
import { createServiceClient, ServiceCallError } from '../src/index.js';
import type { ServiceClient } from '../src/index.js';
import { always, startOtherService } from './other-service.js';

const RouteResponse = z.object({ value: z.number() });

const other = await startOtherService();
let client: ServiceClient;
/** Without a token of its own, and with time to retry. */
let patient: ServiceClient;
afterAll(() => other.close());
beforeEach(() => {
  other.received.length = 0;
  other.answerWith(200, { value: 1 });
  client = createServiceClient({ baseUrl: other.baseUrl, token: always('own-token'), timeoutMs: 300 });
  patient = createServiceClient({ baseUrl: other.baseUrl, timeoutMs: 10_000 });
});
afterEach(() => Promise.all([client.close(), patient.close()]));

type Request = Partial<Parameters<ServiceClient['call']>[0]>;
const call = (request: Request = {}, by = client) => by.call({ path: '/', ...request }, RouteResponse);

const failure = async (attempt: Promise<unknown>): Promise<unknown> => {
  try {
    await attempt;
  } catch (error) {
    return error;
  }
  throw new Error('the call succeeded');
};

describe('a call', () => {
  it('propagates the request id and trace', async () => {
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    await runInCall({ requestId: 'r-1', traceparent }, () => client.call({ path: '/svc/things' }, RouteResponse));
    await client.call({ path: '/svc/things' }, RouteResponse);
    const [inside, outside] = other.received.map(({ headers }) => headers);
    expect(inside).toMatchObject({ 'x-request-id': 'r-1', traceparent });
    expect(outside).not.toHaveProperty('x-request-id');
  });

  it('sends its input as the service itself and returns the validated response', async () => {
    const response = await client.call(
      {
        method: 'POST',
        path: '/svc/things',
        query: { a: 'ä&b', n: 1, yes: true, list: ['x', 'y'] },
        body: { text: 'ü' },
        headers: { 'x-more': '1' },
      },
      RouteResponse,
    );
    expect(response).toEqual({ value: 1 });
    const [request] = other.received;
    expect(request).toMatchObject({ method: 'POST', body: '{"text":"ü"}' });
    const url = new URL(request!.url, other.baseUrl);
    expect(url.pathname).toBe('/svc/things');
    expect(Object.fromEntries(url.searchParams)).toEqual({ a: 'ä&b', n: '1', yes: 'true', list: 'x,y' });
    expect(request!.headers).toMatchObject({
      authorization: 'Bearer own-token',
      'content-type': 'application/json',
      'x-more': '1',
    });
  });

  it('is made on behalf of the caller whose token it has', async () => {
    await call({ token: 'callers-token' });
    expect(other.received[0]).toMatchObject({ method: 'GET', headers: { authorization: 'Bearer callers-token' } });
  });

  it('is made without authentication when there is no token', async () => {
    await call({}, patient);
    expect(other.received[0]!.headers.authorization).toBeUndefined();
  });

  it('may have an empty response', async () => {
    other.answerWith(204, '');
    await expect(client.call({ method: 'DELETE', path: '/' }, z.undefined())).resolves.toBeUndefined();
  });

  it('keeps its connection alive for the next one', async () => {
    const ports = new Set<number>();
    other.answer((req, res) => {
      ports.add(req.socket.remotePort!);
      res.end('{"value":1}');
    });
    for (let n = 0; n < 5; n++) await call();
    expect(ports.size).toBeLessThan(5);
  });
});

describe('a rejected call', () => {
  it.each([400, 409])('with %i has the status and the code, for the calling code to handle', async (status) => {
    other.answerWith(status, { status, code: 'SOME_REASON', message: 'no' });
    const error = await failure(call());
    expect(error).toBeInstanceOf(ServiceCallError);
    expect(error).toMatchObject({ status, code: 'SOME_REASON' });
  });

  it('is repeated once with a new token when its own was rejected', async () => {
    const tokens = ['new', 'old'];
    const token = {
      get: async () => tokens.at(-1)!,
      discard: (rejected: string) => void tokens.splice(tokens.indexOf(rejected), 1),
    };
    const own = createServiceClient({ baseUrl: other.baseUrl, token });
    other.answer((req, res) =>
      req.headers.authorization === 'Bearer new' ? res.end('{"value":1}') : res.writeHead(401).end('{}'),
    );
    expect(await own.call({ method: 'POST', path: '/' }, RouteResponse)).toEqual({ value: 1 });
    expect(other.received.map(({ headers }) => headers.authorization)).toEqual(['Bearer old', 'Bearer new']);
    await own.close();
  });

  it('is a 503 when the new token is rejected, too: the caller is not at fault', async () => {
    other.answerWith(401, { code: 'UNAUTHORIZED' });
    expect(await failure(call())).toMatchObject({ status: 503 });
    expect(other.received).toHaveLength(2);
  });

  it("is not retried with another token when the caller's own is rejected", async () => {
    other.answerWith(401, { code: 'UNAUTHORIZED' });
    expect(await failure(call({ token: 'callers-token' }))).toMatchObject({
      status: 401,
    });
    expect(other.received).toHaveLength(1);
  });

  it.each([408, 429])('with %i is a 503: it may succeed later', async (status) => {
    other.answerWith(status, { code: 'LATER' });
    expect(await failure(call())).toMatchObject({ status: 503 });
  });

  it('with 401 or 429 is passed on to the caller whose token it has', async () => {
    for (const [status, header] of [
      [401, 'www-authenticate'],
      [429, 'retry-after'],
    ] as const) {
      other.answerWith(status, { code: 'ANY' });
      const error = await failure(call({ token: 'callers-token' }));
      expect(error).toBeInstanceOf(AppError);
      expect(error).toMatchObject({ status, headers: { [header]: expect.any(String) } });
    }
  });

  it('has no code when its body is not in the platform’s format', async () => {
    for (const body of ['', '<html>', '[]', '{"code":17}', 'x'.repeat(200_000)]) {
      other.answerWith(404, body);
      expect(await failure(call())).toMatchObject({ status: 404, code: undefined });
    }
  });
});

describe('an unavailable service', () => {
  const unavailable = async (attempt: Promise<unknown>) => {
    const error = await failure(attempt);
    expect(error).toBeInstanceOf(AppError);
    expect(error).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
  };

  it('is a 503 when it does not listen', async () => {
    const nobody = createServiceClient({ baseUrl: 'http://127.0.0.1:9' });
    await unavailable(nobody.call({ path: '/' }, RouteResponse));
    await nobody.close();
  });

  it.each<[string, () => unknown]>([
    ['returns 500', () => other.answerWith(500, 'secret stack')],
    ['returns 503', () => other.answerWith(503, 'secret stack')],
    ['does not respond in time', () => other.answer(() => undefined)],
    ['stops in the middle of a response', () => other.answer((_req, res) => res.writeHead(200).write('{"val'))],
    ['closes the connection', () => other.answer((_req, res) => res.destroy())],
    ['returns another type', () => other.answerWith(200, '{"value":"text"}')],
    ['returns no JSON', () => other.answerWith(200, 'not json')],
    ['returns nothing', () => other.answerWith(200, '')],
  ])('is a 503 when it %s, and reached again as soon as it has recovered', async (_what, behave) => {
    behave();
    await unavailable(call());
    other.answerWith(200, { value: 2 });
    expect(await call()).toEqual({ value: 2 });
  });

  it('is a 503 when it redirects: redirects are not followed', async () => {
    other.answerWith(302, '', { location: 'http://127.0.0.1:9/' });
    await unavailable(call());
    expect(other.received).toHaveLength(1);
  });
});

describe('a connection that fails', () => {
  /** Breaks the connections of the next requests; later ones get a response. */
  const breakNext = (count: number, how: (res: ServerResponse) => void = (res) => res.destroy()) => {
    let left = count;
    other.answer((_req, res) => {
      if (left-- > 0) how(res);
      else res.end('{"value":1}');
    });
  };

  it.each(['POST', 'PATCH'] as const)('is not retried for %s: the request may have been processed', async (method) => {
    breakNext(1);
    expect(await failure(call({ method }))).toMatchObject({ status: 503 });
    expect(other.received).toHaveLength(1);
  });

  it('is a 503 when it keeps failing', async () => {
    breakNext(100);
    expect(await failure(call({}, patient))).toMatchObject({ status: 503 });
    expect(other.received).toHaveLength(4);
  });

  it('is not retried after the timeout of the call', async () => {
    breakNext(100);
    expect(await failure(call())).toMatchObject({ status: 503 });
    expect(other.received.length).toBeLessThan(4);
  });

  it.each([
    ['GET', {}],
    ['HEAD', {}],
    ['PUT', {}],
    ['DELETE', {}],
    ['POST', { idempotent: true }],
  ] as const)('is retried for %s %j', async (method, more) => {
    breakNext(2);
    const schema = method === 'HEAD' ? z.undefined() : RouteResponse;
    await patient.call({ method, path: '/', ...more }, schema);
    expect(other.received).toHaveLength(3);
  });

  it('is also retried in the middle of a response', async () => {
    breakNext(1, (res) => {
      res.writeHead(200, { 'content-length': 100 }).write('{"val', () => res.destroy());
    });
    expect(await call({}, patient)).toEqual({ value: 1 });
  });

  it('is retried for every method when nothing was sent', async () => {
    const late = await startOtherService();
    await late.close();
    let attempts = 0;
    const get = async () => {
      attempts += 1;
      if (attempts === 2) await late.open();
      return 'token';
    };
    const token = { ...always('token'), get };
    const calls = createServiceClient({ baseUrl: late.baseUrl, timeoutMs: 10_000, token });
    await calls.call({ method: 'POST', path: '/' }, z.object({}));
    expect([attempts, late.received.length]).toEqual([2, 1]);
    await calls.close();
    await late.close();
  });

  it('does not delay a caller that disconnects', async () => {
    const abort = new AbortController();
    breakNext(100, (res) => {
      res.destroy();
      abort.abort(new Error('the caller has gone'));
    });
    const error = await failure(call({ signal: abort.signal }, patient));
    expect(error).toMatchObject({ message: 'the caller has gone' });
    expect(other.received).toHaveLength(1);
  });
});

describe('a caller that disconnects', () => {
  it('aborts the call with its own error', async () => {
    const abort = new AbortController();
    other.answer(() => abort.abort(new Error('the caller has gone')));
    const error = await failure(call({ signal: abort.signal }));
    expect(error).not.toBeInstanceOf(AppError);
    expect(error).toMatchObject({ message: 'the caller has gone' });
  });
});

describe('a stream', () => {
  it('returns the body as it arrives, with its headers', async () => {
    const content = 'x'.repeat(1_000_000);
    other.answerWith(206, content, { 'content-type': 'image/png', 'content-range': 'bytes 0-1/2' });
    const { body, headers } = await client.stream({ path: '/', headers: { range: 'bytes=0-1' } });
    expect(headers).toMatchObject({ 'content-type': 'image/png', 'content-range': 'bytes 0-1/2' });
    expect(await text(body)).toBe(content);
  });

  it('is rejected like any call', async () => {
    other.answerWith(404, { code: 'NOT_FOUND' });
    expect(await failure(client.stream({ path: '/' }))).toMatchObject({ status: 404, code: 'NOT_FOUND' });
  });
});
