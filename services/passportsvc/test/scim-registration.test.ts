import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sendTwice } from '@dtplatform/testing';
import { startApp } from './start-app.js';
import type { TestApp } from './start-app.js';
import { asApp, asUser } from './tokens.js';

const SERVERS = '/auth/realms/master/scim/servers';
const LISTENERS = '/auth/realms/master/scim/listeners';
const DELIVERIES = '/auth/realms/master/scim/deliveries';
const SERVER = {
  baseUrl: 'https://127.0.0.1/v2/Users',
  tokenUrl: 'https://127.0.0.1/token?realm=a',
  clientId: 'client',
  clientSecret: 'the secret of the client',
};

describe('the registration of SCIM servers', () => {
  let app: TestApp;
  let trusted: string;
  const post = (path: string, body: unknown, authorization = trusted) =>
    app.api
      .post(path)
      .set({ authorization })
      .send(body as object);
  const get = (path: string, authorization = trusted) => app.api.get(path).set({ authorization });
  const remove = (path: string) => app.api.delete(path).set({ authorization: trusted });
  const register = async () => (await post(SERVERS, SERVER).expect(201)).body as { id: string };
  const listen = (scimServerDetailId: string, eventName = 'CREATE') =>
    post(LISTENERS, { scimServerDetailId, eventName, realmId: 'iam' });

  beforeAll(async () => {
    app = await startApp({ EGRESS_ALLOW: '127.0.0.1' });
    trusted = await asApp(app);
  });
  afterAll(() => app.stop());

  it('answers with the server, and shows its secret once', async () => {
    const created = await post(SERVERS, SERVER).expect(201);
    const { id } = created.body;
    expect(created.body).toEqual({ id: expect.stringMatching(/^[0-9a-f]{24}$/), ...SERVER });
    expect(created.headers).toMatchObject({ location: `${SERVERS}/${id}`, 'cache-control': 'no-store', etag: '"0"' });
    const { clientSecret: _secret, ...shown } = created.body;
    const again = await get(`${SERVERS}/${id}`).expect(200);
    expect([again.body, again.headers.etag]).toEqual([shown, '"0"']);
    const page = await get(`${SERVERS}?_pageSize=1000`).expect(200);
    expect(page.body._list).toContainEqual(shown);
  });

  it('stores the secret encrypted', async () => {
    const { id } = await register();
    const stored = await app.mongo.db.collection('scim_servers').findOne({ _id: id as never });
    const sealed = {
      keyId: expect.any(String),
      iv: expect.any(String),
      data: expect.any(String),
      tag: expect.any(String),
    };
    expect(stored!.clientSecret).toEqual(sealed);
    expect(JSON.stringify(stored)).not.toContain(SERVER.clientSecret);
  });

  it('happens once per idempotency key, and a repetition shows no secret', async () => {
    const send = () => post(SERVERS, SERVER).set('idempotency-key', 'register-once');
    const first = await send().expect(201);
    const { clientSecret: _secret, ...shown } = first.body;
    const second = await send().expect(201);
    expect([second.body, second.headers['idempotency-replayed']]).toEqual([shown, 'true']);
    const kept = await app.mongo.db.collection('idempotency_keys').find().toArray();
    expect(JSON.stringify(kept)).not.toContain(SERVER.clientSecret);
    const { id } = await register();
    await sendTwice(() => listen(id));
  });

  it('takes servers without credentials', async () => {
    const { clientId: _id, clientSecret: _secret, ...open } = SERVER;
    expect((await post(SERVERS, open).expect(201)).body).toEqual({ id: expect.any(String), ...open });
  });

  it.each([
    ['nothing', {}, ['body.baseUrl', 'body.tokenUrl']],
    ['no baseUrl', { ...SERVER, baseUrl: undefined }, ['body.baseUrl']],
    ['a number', { ...SERVER, tokenUrl: 1 }, ['body.tokenUrl']],
    ['another protocol', { ...SERVER, baseUrl: 'file:///etc/passwd' }, ['body.baseUrl']],
    ['credentials in a URL', { ...SERVER, baseUrl: 'https://a:b@127.0.0.1/' }, ['body.baseUrl']],
    ['a query in the URL of the users', { ...SERVER, baseUrl: 'https://127.0.0.1/?a' }, ['body.baseUrl']],
    ['a long URL', { ...SERVER, tokenUrl: `https://127.0.0.1/${'a'.repeat(2048)}` }, ['body.tokenUrl']],
    ['an empty client id', { ...SERVER, clientId: '' }, ['body.clientId']],
    ['a long secret', { ...SERVER, clientSecret: 'x'.repeat(1025) }, ['body.clientSecret']],
    ['a private address', { ...SERVER, baseUrl: 'https://10.0.0.1/Users' }, ['body.baseUrl']],
    ['the metadata service', { ...SERVER, tokenUrl: 'https://169.254.169.254/latest' }, ['body.tokenUrl']],
    ['an address in disguise', { ...SERVER, tokenUrl: 'https://0x0a000001/' }, ['body.tokenUrl']],
    [
      'two addresses with plain HTTP',
      { ...SERVER, baseUrl: 'http://8.8.8.8/', tokenUrl: 'http://8.8.8.8/' },
      ['body.baseUrl', 'body.tokenUrl'],
    ],
  ])('refuses %s', async (_what, body, locations) => {
    const rejected = await post(SERVERS, body).expect(400);
    expect(rejected.body).toMatchObject({ status: 400, code: expect.any(String), requestId: expect.any(String) });
    expect(rejected.body.errors.map(({ location }: { location: string }) => location)).toEqual(locations);
  });

  it('sends servers the events that they listen to', async () => {
    const { id } = await register();
    const created = await listen(id, 'UPDATE').expect(201);
    expect(created.body).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{24}$/),
      realmId: 'iam',
      scimServerDetailId: id,
      eventName: 'UPDATE',
    });
    const one = await get(created.headers.location!).expect(200);
    expect([one.body, one.headers.etag]).toEqual([created.body, '"0"']);
    const page = await get(`${LISTENERS}?_pageSize=1000`).expect(200);
    expect(page.body._list).toContainEqual(created.body);
    await remove(created.headers.location!).expect(204);
    await get(created.headers.location!).expect(404);
  });

  it('has one listener for each event of a server', async () => {
    const { id } = await register();
    const responses = await Promise.all([listen(id), listen(id), listen(id, 'DELETE')]);
    expect(responses.map(({ status }) => status).sort()).toEqual([201, 201, 400]);
    expect(responses.find(({ status }) => status === 400)!.body.code).toBe('LISTENER_EXISTS');
  });

  it.each([
    ['an unknown server', { scimServerDetailId: '0'.repeat(24) }, 'UNKNOWN_SCIM_SERVER'],
    ['no id of a server', { scimServerDetailId: { $ne: '' } }, 'BAD_REQUEST'],
    ['another event', { eventName: 'READ' }, 'BAD_REQUEST'],
    ['another realm', { realmId: 'master' }, 'BAD_REQUEST'],
    ['no realm', { realmId: undefined }, 'BAD_REQUEST'],
  ])('refuses a listener for %s', async (_what, change, code) => {
    const { id } = await register();
    const body = { scimServerDetailId: id, eventName: 'CREATE', realmId: 'iam', ...change };
    expect((await post(LISTENERS, body).expect(400)).body.code).toBe(code);
  });

  it('deletes a server with its listeners, if it is the one that the caller has read', async () => {
    const { id } = await register();
    const listener = (await listen(id).expect(201)).body;
    await remove(`${SERVERS}/${id}`).set('if-match', '"7"').expect(412);
    await remove(`${SERVERS}/${id}`).set('if-match', '"0"').expect(204);
    for (const path of [`${SERVERS}/${id}`, `${LISTENERS}/${listener.id}`]) await get(path).expect(404);
    await remove(`${SERVERS}/${id}`).expect(404);
    expect((await get(`${SERVERS}?_pageSize=1000`)).body._list).not.toContainEqual(expect.objectContaining({ id }));
    expect((await listen(id).expect(400)).body.code).toBe('UNKNOWN_SCIM_SERVER');
  });

  it('pages its lists', async () => {
    await register();
    await register();
    const page = (await get(`${SERVERS}?_offset=1&_pageSize=1`).expect(200)).body;
    expect(page).toMatchObject({ _offset: 1, _pageSize: 1, _total: expect.any(Number) });
    expect(page._list).toHaveLength(1);
    await get(`${LISTENERS}?_pageSize=x`).expect(400);
    await get(`${DELIVERIES}?status=NEVER`).expect(400);
    expect((await get(`${DELIVERIES}?_pageSize=5`).expect(200)).body).toMatchObject({ _offset: 0, _list: [] });
  });

  it('is for administrators and trusted clients', async () => {
    const second = await asApp(app, { id: app.dev.second.appId, secret: app.dev.second.appSecret });
    for (const path of [SERVERS, LISTENERS, DELIVERIES]) {
      await get(path, await asUser(app)).expect(200);
      expect((await get(path, second).expect(403)).body).toMatchObject({ status: 403, code: 'FORBIDDEN' });
      await app.api.get(path).expect(401);
    }
    await post(SERVERS, SERVER, second).expect(403);
    await app.api
      .delete(`${SERVERS}/${(await register()).id}`)
      .set({ authorization: second })
      .expect(403);
  });

  it('ends at 100 servers', async () => {
    const { body } = await get(`${SERVERS}?_pageSize=0`).expect(200);
    await app.mongo.db.collection('scim_servers').insertMany(
      Array.from({ length: 100 - (body._total as number) }, (_, index) => ({
        _id: `filler-${index}` as never,
        baseUrl: SERVER.baseUrl,
        tokenUrl: SERVER.tokenUrl,
        createdAt: 0,
        createdById: 'test',
        _revision: 0,
      })),
    );
    expect((await post(SERVERS, SERVER).expect(400)).body.code).toBe('TOO_MANY_SCIM_SERVERS');
    await app.mongo.db.collection('scim_servers').deleteMany({ createdById: 'test' });
  });
});
