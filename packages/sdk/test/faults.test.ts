import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  ApiError,
  clientCredentials,
  createClient,
  NetworkError,
  NoPlatformError,
  paginate,
  TimeoutError,
} from '@dtplatform/sdk';
import type { Client } from '@dtplatform/sdk';
import { eventually } from '@dtplatform/testing';
import { cut, json, refusal, silence, startScriptedServer } from './scripted-server.js';

const server = await startScriptedServer();
afterAll(() => server.close());

describe('calls to a faulty platform', () => {
  let fetched = 0;
  const countingFetch: typeof fetch = (...request) => {
    fetched += 1;
    return fetch(...request);
  };
  let client: Client;
  const list = () => client.call('filesvc.files.list');
  const page = json(200, { _offset: 0, _pageSize: 25, _total: 0, _list: [] });
  const now = { 'retry-after': '0' };
  const item = { _name: 'a', _shortName: 'a', _description: '', _namespaces: ['n'], _userType: 'a' };
  const create = (idempotencyKey?: string) =>
    client.call('itemsvc.items.create', { body: [{ ...item, _itemClass: 'UserConfig' }], idempotencyKey });

  beforeEach(() => {
    client = createClient({ baseUrl: `${server.url}/`, namespace: 'n', auth: 'token', timeoutMs: 5000 });
  });

  it('request strict handling of unknown names if the client is strict', async () => {
    server.script(page);
    await list();
    await createClient({ baseUrl: server.url, namespace: 'n', strict: true }).call('filesvc.files.list');
    expect(server.requests.map(({ headers }) => headers.prefer)).toEqual([undefined, 'handling=strict']);
  });

  it.each([429, 502, 503, 504])('are retried after a %i', async (status) => {
    server.script(refusal(status, 'LATER', now), refusal(status, 'LATER', now), page);
    expect(await list()).toMatchObject({ _total: 0 });
    expect(server.requests).toHaveLength(3);
  });

  it('are retried for a POST that only reads', async () => {
    server.script(cut, page);
    const collectionDesc = { _userItemId: 'doors' };
    const search = { $findInCollections: { collectionDesc, query: {} } };
    expect(await client.call('itemsvc.items.search', { body: search })).toMatchObject({ _total: 0 });
    expect(server.requests).toHaveLength(2);
  });

  it('are retried after the time in Retry-After', async () => {
    const at = new Date(Date.now() + 1500);
    at.setMilliseconds(0);
    let calledAt = 0;
    server.script(refusal(503, 'LATER', { 'retry-after': at.toUTCString() }), (res, seen) => {
      calledAt = Date.now();
      return page(res, seen);
    });
    await list();
    expect(calledAt).toBeGreaterThanOrEqual(at.getTime());
  });

  it('are not retried if Retry-After exceeds a minute', async () => {
    server.script(refusal(503, 'LATER', { 'retry-after': '3600' }));
    await expect(list()).rejects.toMatchObject({ status: 503, retryAfterMs: 3_600_000 });
    expect(server.requests).toHaveLength(1);
  });

  it('are not retried forever', async () => {
    server.script(refusal(503, 'LATER', now));
    client = createClient({ baseUrl: server.url, namespace: 'n', retries: 2 });
    await expect(list()).rejects.toMatchObject({ code: 'LATER', requestId: 'r1', message: 'Not now.' });
    expect(server.requests).toHaveLength(3);
  });

  it('are retried with the same key after a broken connection', async () => {
    server.script(cut, json(201, { _list: [] }), cut, json(201, []));
    await create();
    const form = new FormData();
    form.set('file', new Blob(['a']), 'a.txt');
    await client.call('filesvc.uploads.initiate', { body: form });
    const keys = server.requests.map(({ headers }) => headers['idempotency-key']);
    const made = expect.stringMatching(/^[\w-]{43}$/);
    expect(keys).toEqual([made, keys[0], made, keys[2]]);
  });

  it('are not retried with a form of several files, some of which may be stored', async () => {
    server.script(cut, json(201, []));
    const form = new FormData();
    for (const name of ['a.txt', 'b.txt']) form.append('file', new Blob(['a']), name);
    await expect(client.call('filesvc.uploads.initiate', { body: form })).rejects.toThrow(NetworkError);
    expect(server.requests).toHaveLength(1);
  });

  it('are retried while a call with the same key is running', async () => {
    server.script(refusal(409, 'IDEMPOTENT_CALL_RUNNING', now), json(201, { _list: [] }));
    await create('mine');
    expect(server.requests.map(({ headers }) => headers['idempotency-key'])).toEqual(['mine', 'mine']);
  });

  it('are not retried if that could apply a change twice', async () => {
    server.script(cut);
    const change = { _name: 'a', _description: '', _userType: 'a', _namespaces: ['n'] };
    const update = client.call('itemsvc.items.update', {
      path: { id: 'a' },
      headers: { 'If-Match': '"1"' },
      body: change,
    });
    await expect(update).rejects.toThrow(NetworkError);
    expect(server.requests).toHaveLength(1);
  });

  it('are not retried after a rejection', async () => {
    server.script(refusal(400, 'BAD_REQUEST'));
    await expect(list()).rejects.toThrow(ApiError);
    expect(server.requests).toHaveLength(1);
  });

  it('fail at once when nothing listens at the base URL', async () => {
    const gone = await startScriptedServer();
    await gone.close();
    const away = createClient({ baseUrl: gone.url, namespace: 'n', fetch: countingFetch });
    const error = away.call('filesvc.files.list');
    await expect(error).rejects.toThrow(NetworkError);
    await expect(error).rejects.toThrow(`No dtplatform answers at ${gone.url}: `);
    expect(fetched).toBe(1);
  });

  it('fail with a timeout when it does not respond', async () => {
    server.script(silence);
    const call = client.call('filesvc.files.list', { timeoutMs: 50, retries: 1 });
    await expect(call).rejects.toThrow(TimeoutError);
    expect(server.requests).toHaveLength(2);
  });

  it('are retried after a response that breaks off', async () => {
    const half = (res: Parameters<typeof page>[0]) => {
      res.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' }).write('{"_total"');
      setImmediate(() => res.destroy());
    };
    server.script(half, page);
    expect(await list()).toMatchObject({ _total: 0 });
  });

  it('fail with an ApiError for HTML errors of an intermediary', async () => {
    server.script((res) => res.writeHead(413, { 'content-type': 'text/html' }).end('<h1>No</h1>'));
    await expect(list()).rejects.toMatchObject({ status: 413, code: 'HTTP_413', details: [] });
  });

  it.each([
    ['a page', (res) => res.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Welcome</h1>')],
    ['a missing page', (res) => res.writeHead(404, { 'content-type': 'text/html' }).end('<h1>Not found</h1>')],
    ['a 404 of another API', json(404, { message: 'Not Found' })],
  ] as [string, Parameters<typeof server.script>[0]][])('fail at once on %s of another server', async (_, answer) => {
    server.script(answer);
    await expect(list()).rejects.toThrow(`No dtplatform answers at ${server.url}/filesvc/api/v1/files`);
    expect(server.requests).toHaveLength(1);
    const auth = clientCredentials({ baseUrl: server.url, clientId: 'a', clientSecret: 'b' });
    await expect(auth.token()).rejects.toThrow(NoPlatformError);
  });

  it('fail with a 404 that the platform returns', async () => {
    server.script(refusal(404, 'NOT_FOUND'));
    await expect(list()).rejects.toMatchObject({ status: 404, code: 'NOT_FOUND', message: 'Not now.' });
  });

  it('fail with a message that has the first detail', async () => {
    const errors = [{ location: 'query._pageSize', message: 'It must be a number.' }];
    server.script(json(400, { status: 400, code: 'BAD_REQUEST', message: 'Invalid.', errors, requestId: 'r1' }));
    await expect(list()).rejects.toThrow('Invalid. query._pageSize: It must be a number.');
  });

  it('cover only the namespace of the client', async () => {
    server.script(page);
    await list();
    await client.in('m').call('filesvc.files.children', { path: { id: 'f' } });
    await client.call('filesvc.files.list', { query: { nsfilter: 'm' } });
    await client.call('filesvc.files.list', { query: { _namespaces: [] } });
    await client.call('itemsvc.telemetryConfigs.list');
    await createClient({ baseUrl: server.url }).call('itemsvc.telemetryConfigs.list');
    expect(server.requests.map(({ url }) => url.split('?')[1])).toEqual([
      ...['nsfilter=n&_namespaces=n', 'nsfilter=m&_namespaces=m', 'nsfilter=m&_namespaces=m', 'nsfilter=n'],
      ...['nsfilter=n', undefined],
    ]);
  });

  it('stop when the caller gives up', async () => {
    server.script(silence);
    await expect(client.call('filesvc.files.list', { signal: AbortSignal.abort(new Error('no')) })).rejects.toThrow(
      'no',
    );
    const stop = new AbortController();
    const call = client.call('filesvc.files.list', { signal: stop.signal });
    // Later requests would get the responses of the next script.
    const arrived = eventually(() => expect(server.requests).toHaveLength(1));
    await Promise.all([expect(call).rejects.toThrow('enough'), arrived.then(() => stop.abort(new Error('enough')))]);
    server.script(refusal(503, 'LATER', { 'retry-after': '30' }));
    const waiting = new AbortController();
    const retried = client.call('filesvc.files.list', { signal: waiting.signal });
    const answered = eventually(() => expect(server.requests).toHaveLength(1));
    await Promise.all([
      expect(retried).rejects.toThrow('too long'),
      answered.then(() => waiting.abort(new Error('too long'))),
    ]);
  });

  it('read a list to its end even if it shrinks while it is read', async () => {
    const entries = (total: number, ids: string[]) => json(200, { _offset: 0, _total: total, _list: ids });
    server.script(entries(4, ['a', 'b']), entries(4, []));
    const all: unknown[] = [];
    for await (const each of paginate(client, 'filesvc.files.list')) all.push(each);
    expect(all).toEqual(['a', 'b']);
    expect(server.requests.map(({ url }) => url)).toEqual([
      '/filesvc/api/v1/files?_offset=0&nsfilter=n&_namespaces=n',
      '/filesvc/api/v1/files?_offset=2&nsfilter=n&_namespaces=n',
    ]);
  });

  it('send lists as repeated parameters and filters as JSON', async () => {
    server.script(page);
    await client.call('filesvc.files.list', { query: { _ids: ['a', 'b'] } });
    await client.call('itemsvc.items.list', { query: { query: { _name: 'a' } as never } });
    expect(server.requests.map(({ url }) => decodeURIComponent(url))).toEqual([
      '/filesvc/api/v1/files?_ids=a&_ids=b&nsfilter=n&_namespaces=n',
      '/itemsvc/api/v1/nameduseritems?query={"_name":"a"}&nsfilter=n',
    ]);
  });
});

describe('tokens of a faulty platform', () => {
  const me = (auth: string | (() => string)) =>
    createClient({ baseUrl: server.url, auth, retries: 0 }).call('passportsvc.users.me');
  const refused = refusal(401, 'UNAUTHORIZED');

  it('are requested again once when rejected', async () => {
    server.script(refused, json(200, { id: 'me' }));
    let asked = 0;
    expect(await me(() => `token-${(asked += 1)}`)).toMatchObject({ id: 'me' });
    expect(server.requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer token-1', 'Bearer token-2']);
  });

  it('fail permanently when there is no other', async () => {
    server.script(refused);
    await expect(me('token')).rejects.toMatchObject({ status: 401 });
    expect(server.requests).toHaveLength(1);
  });
});
