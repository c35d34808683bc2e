import type { ServerResponse } from 'node:http';
import { afterAll, describe, expect, it } from '@jest/globals';
import { startAppWithOthers, step } from './start-app.js';

const environment = { CALL_URL_HOSTS: '127.0.0.1,10.0.0.1', EGRESS_ALLOW: '127.0.0.1' };
const app = await startAppWithOthers({ environment });
const { others, owner } = app;
const { url } = others;
afterAll(() => app.stop());

describe('the component call_url', () => {
  const tasksOf = (params: object) => [step('call_url', params)];
  const run = (params: object) => app.runAtOnce(...tasksOf(params));
  const rejectionOf = async (params: object) =>
    (await app.post({ _params: { tasks: tasksOf(params) } }).expect(400)).body.errors;
  const willRespond = (respond: (res: ServerResponse) => unknown) =>
    others.answerWith((_call, res) => Boolean(respond(res)));
  const willSend = (type: string, body: string | Buffer, status = 200) =>
    willRespond((res) => res.writeHead(status, { 'content-type': type, etag: '"1"', 'set-cookie': 'a=b' }).end(body));

  it('returns status, selected headers and the body of the response, and sends no token', async () => {
    willSend('application/json', '{"ok":true}', 201);
    const { _status, _result } = await run({ url: `${url}/doors?x=1`, method: 'POST', body: { open: true } });
    expect(_status).toBe('COMPLETED');
    const selected = { 'content-type': 'application/json', etag: '"1"' };
    expect(_result).toEqual({ status: 201, headers: selected, body: { ok: true } });
    expect(others.calls).toMatchObject([{ method: 'POST', url: '/doors?x=1', body: { open: true } }]);
    const { headers } = others.calls[0]!;
    expect(headers).toMatchObject({ 'content-type': 'application/json' });
    for (const name of ['authorization', 'cookie']) expect(headers).not.toHaveProperty(name);
  });

  it.each([
    ['Application/JSON; Charset=UTF-8', '{"ok":true}', { ok: true }],
    ['application/problem+json', '{"ok":true}', { ok: true }],
    ['application/json-seq', '{"ok":true}', '{"ok":true}'],
    ['text/plain; x=application/json', '{"ok":true}', '{"ok":true}'],
    ['application/json', '{"a": }', '{"a": }'],
  ])('parses a response of type %s if it is JSON', async (type, text, body) => {
    willSend(type, text);
    expect(await run({ url })).toMatchObject({ _result: { body } });
  });

  it('sends a string unchanged, and uses GET by default', async () => {
    willSend('text/plain', 'fine');
    await run({ url, method: 'PUT', body: 'a,b' });
    expect(await run({ url })).toMatchObject({ _result: { status: 200, body: 'fine' } });
    expect(others.calls).toMatchObject([
      { method: 'PUT', body: 'a,b' },
      { method: 'GET', body: '' },
    ]);
  });

  const failed = 'The URL could not be called: ';
  const large = 'x'.repeat(256 * 1024 + 1);
  const redirect = (res: ServerResponse) => res.writeHead(302, { location: 'http://169.254.169.254/' }).end();
  const unstorable = 'The response of the URL ';
  it.each<[string, () => void, string]>([
    ['an error', () => willSend('text/plain', 'secret', 503), 'The URL responded with status 503.'],
    ['a redirect', () => willRespond(redirect), `${failed}it responded with a redirect, which is not followed.`],
    ['too long', () => willSend('text/plain', large), `${failed}the response is larger than 256 KiB.`],
    ['nothing', () => willRespond((res) => res.destroy()), `${failed}the connection failed.`],
    ['inexact', () => willSend('application/json', '[9007199254740993]'), `${unstorable}has a number`],
    ['Latin-1', () => willSend('text/plain', Buffer.from('café', 'latin1')), `${unstorable}is not valid UTF-8`],
    ['text with NUL', () => willSend('text/plain', 'a\0b'), `${unstorable}has text that contains the character NUL`],
  ])('fails when the response is %s', async (_what, respond, message) => {
    respond();
    const { _status, orchrunsteps } = await run({ url, method: 'POST' });
    expect(_status).toBe('ERROR');
    expect(orchrunsteps[0]._statusmsg).toContain(message);
    expect(others.calls).toHaveLength(1);
  });

  it("rejects hosts that are not on the operator's list when the orchestrator is saved, and in parameters of runs", async () => {
    const message = "leads to a host that is not on the operator's list (CALL_URL_HOSTS)";
    const hosts = ['example.com', 'localhost:1', '[::1]', '2130706434', 'a@b.c'];
    for (const host of hosts) {
      const location = 'body._params.tasks.0._actualparams.url';
      expect(await rejectionOf({ url: `http://${host}/` })).toEqual([{ location, message }]);
    }
    const { id } = await app.create(owner, tasksOf({}), { instant: true });
    const _actualparams = [{ _sequenceno: 1, params: { url: 'http://example.com' } }];
    const { body } = await app.start(id).send({ _actualparams }).expect(400);
    expect(body.errors).toEqual([{ location: '_sequenceno 1._actualparams.url', message }]);
  });

  it('calls a listed host only if egress allows it', async () => {
    const { orchrunsteps } = await run({ url: 'https://10.0.0.1/' });
    expect(orchrunsteps[0]._statusmsg).toBe(
      'The platform is not allowed to call the URL: it must not lead to a private or reserved address.',
    );
  });

  it.each([
    { url: 'ftp://127.0.0.1/' },
    { url: 'here' },
    { url: 'http://127.0.0.1/', method: 'TRACE' },
    { url: 'http://127.0.0.1/', body: 'of a GET' },
  ])('rejects %j', async (params) => {
    expect(await rejectionOf(params)).toHaveLength(1);
  });
});
