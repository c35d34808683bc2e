import { createServer } from 'node:http';
import type { IncomingHttpHeaders, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, describe, expect, it } from '@jest/globals';
import { ORCHESTRATORS, startApp, step } from './start-app.js';

/** A host that steps call. */
async function startHost() {
  const requests: { method: string; url: string; headers: IncomingHttpHeaders; body: string }[] = [];
  let respond: (res: ServerResponse) => unknown = (res) => res.end();
  const server: Server = createServer((req, res) => {
    void text(req).then((body) => {
      requests.push({ method: req.method!, url: req.url!, headers: req.headers, body });
      respond(res);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    requests,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    will(answer: typeof respond) {
      respond = answer;
      requests.length = 0;
    },
    stop() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}

const host = await startHost();
const app = await startApp({ environment: { CALL_URL_HOSTS: '127.0.0.1,10.0.0.1', EGRESS_ALLOW: '127.0.0.1' } });
afterAll(async () => {
  await app.stop();
  await host.stop();
});

describe('the component call_url', () => {
  const tasksOf = (params: object) => [step('call_url', params)];
  const run = async (params: object, of = app) => {
    const { id } = await of.create(of.owner, tasksOf(params), { instant: true });
    return of.run(of.owner, id);
  };
  const failureOf = async (params: object) => {
    const { _status, orchrunsteps } = await run(params);
    expect(_status).toBe('ERROR');
    return orchrunsteps[0]._statusmsg;
  };
  const rejectionOf = async (params: object, of = app) => {
    const body = { _name: `refused ${Math.random()}`, _params: { tasks: tasksOf(params) } };
    const request = of.api.post(`${ORCHESTRATORS}?nsfilter=tower_1`).set(of.owner).send(body);
    return (await request.expect(400)).body.errors;
  };

  it.each([
    ['application/json', '{"n": [9007199254740993]}', 'The answer of the URL has a number'],
    ['text/plain', Buffer.from('café', 'latin1'), 'The answer of the URL is not valid UTF-8'],
    ['text/plain', 'a\0b', 'The answer of the URL has text that contains the character NUL'],
  ])('fails when a response of type %s cannot be stored (%s)', async (type, answer, message) => {
    host.will((res) => res.writeHead(200, { 'content-type': type }).end(answer));
    expect(await failureOf({ url: host.url })).toContain(message);
  });

  it('returns invalid JSON as text', async () => {
    host.will((res) => res.writeHead(200, { 'content-type': 'application/json' }).end('{"a": }'));
    expect((await run({ url: host.url }))._result.body).toBe('{"a": }');
  });

  it('returns status, selected headers and the body of the response, and sends no token', async () => {
    host.will((res) =>
      res.writeHead(201, { 'content-type': 'application/json', etag: '"1"', 'set-cookie': 'a=b' }).end('{"ok":true}'),
    );
    const { _status, _result } = await run({ url: `${host.url}/doors?x=1`, method: 'POST', body: { open: true } });
    expect(_status).toBe('COMPLETED');
    expect(_result).toEqual({
      status: 201,
      headers: { 'content-type': 'application/json', etag: '"1"' },
      body: { ok: true },
    });
    expect(host.requests).toMatchObject([{ method: 'POST', url: '/doors?x=1', body: '{"open":true}' }]);
    expect(host.requests[0]!.headers).toMatchObject({ 'content-type': 'application/json' });
    expect(host.requests[0]!.headers).not.toHaveProperty('authorization');
    expect(host.requests[0]!.headers).not.toHaveProperty('cookie');
  });

  it.each([
    ['Application/JSON; Charset=UTF-8', { ok: true }],
    ['application/problem+json', { ok: true }],
    ['application/json-seq', '{"ok":true}'],
    ['text/plain; x=application/json', '{"ok":true}'],
  ])('parses a response of type %s', async (type, body) => {
    host.will((res) => res.writeHead(200, { 'content-type': type }).end('{"ok":true}'));
    expect(await run({ url: host.url })).toMatchObject({ _result: { body } });
  });

  it('sends a string unchanged, and uses GET by default', async () => {
    host.will((res) => res.end('fine'));
    await run({ url: host.url, method: 'PUT', body: 'a,b' });
    expect(await run({ url: host.url })).toMatchObject({ _result: { status: 200, body: 'fine' } });
    expect(host.requests).toMatchObject([
      { method: 'PUT', body: 'a,b' },
      { method: 'GET', body: '' },
    ]);
  });

  it.each([
    ['an error', (res: ServerResponse) => res.writeHead(503).end('secret'), 'The URL answered with status 503.'],
    [
      'a redirect',
      (res: ServerResponse) => res.writeHead(302, { location: 'http://169.254.169.254/' }).end(),
      'The URL could not be called: it responded with a redirect, which is not followed.',
    ],
    [
      'too much',
      (res: ServerResponse) => res.end('x'.repeat(256 * 1024 + 1)),
      'The URL could not be called: the answer has more than 256 KiB.',
    ],
    ['nothing', (res: ServerResponse) => res.destroy(), 'The URL could not be called: the connection failed.'],
  ])('fails when the response is %s', async (_what, respond, message) => {
    host.will(respond);
    expect(await failureOf({ url: host.url, method: 'POST' })).toBe(message);
    expect(host.requests).toHaveLength(1);
  });

  it("rejects hosts that are not on the operator's list when the orchestrator is saved", async () => {
    const message = "leads to a host that is not on the operator's list (CALL_URL_HOSTS)";
    const urls = [
      'https://example.com/',
      'http://localhost:1/',
      'http://[::1]/',
      'http://2130706434/',
      'http://a@b.c/',
    ];
    for (const url of urls) {
      expect(await rejectionOf({ url })).toEqual([{ location: 'body._params.tasks.0._actualparams.url', message }]);
    }
    // A run may name the host.
    const { id } = await app.create(app.owner, tasksOf({}), { instant: true });
    const start = app.api.post(`${ORCHESTRATORS}/${id}/run?nsfilter=tower_1`).set(app.owner);
    const { body } = await start.send({ _actualparams: [{ _sequenceno: 1, params: { url: urls[0] } }] }).expect(400);
    expect(body.errors).toEqual([{ location: '_sequenceno 1._actualparams.url', message }]);
  });

  it('calls a listed host only if egress allows it', async () => {
    expect(await failureOf({ url: 'https://10.0.0.1/' })).toBe(
      'The URL may not be called: it must not lead to a private or reserved address.',
    );
  });

  it.each([
    { url: 'ftp://127.0.0.1/' },
    { url: 'here' },
    { url: 7 },
    { url: 'http://127.0.0.1/', method: 'TRACE' },
    { url: 'http://127.0.0.1/', body: 'of a GET' },
  ])('rejects %j', async (params) => {
    expect(await rejectionOf(params)).toHaveLength(1);
  });

  it('allows no host by default', async () => {
    const other = await startApp();
    expect((await rejectionOf({ url: host.url }, other))[0].message).toMatch('CALL_URL_HOSTS');
    await other.stop();
  });
});
