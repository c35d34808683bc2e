import { beforeAll, describe, expect, it } from '@jest/globals';
import { sendTwice } from '@dtplatform/testing';
import { useApp } from './start-app.js';
import { asApp } from './tokens.js';

const SERVERS = '/auth/realms/master/scim/servers';
const LISTENERS = '/auth/realms/master/scim/listeners';
const HTTP = 'http://8.8.8.8/';
const SERVER = {
  baseUrl: 'https://127.0.0.1/v2/Users',
  tokenUrl: 'https://127.0.0.1/token?realm=a',
  clientId: 'client',
  clientSecret: 'the secret of the client',
};

describe('the registration of SCIM servers', () => {
  const app = useApp({ EGRESS_ALLOW: '127.0.0.1' });
  let trusted: string;
  const post = (path: string, body: unknown, authorization = trusted) => app.send('post', path, authorization, body);
  const get = (path: string, authorization = trusted) => app.send('get', path, authorization);
  const remove = (path: string) => app.send('delete', path, trusted);
  const register = async () => (await post(SERVERS, SERVER).expect(201)).body as { id: string };
  const listen = (scimServerDetailId: string, eventName = 'CREATE') =>
    post(LISTENERS, { scimServerDetailId, eventName, realmId: 'iam' });

  beforeAll(async () => {
    trusted = await asApp(app);
  });

  it('returns the server, and its secret once', async () => {
    const created = await post(SERVERS, SERVER).expect(201);
    const { id } = created.body;
    expect(created.body).toEqual({ id: expect.stringMatching(/^[0-9a-f]{24}$/), ...SERVER });
    expect(created.headers).toMatchObject({ location: `${SERVERS}/${id}`, 'cache-control': 'no-store', etag: '"0"' });
    const { clientSecret: _secret, ...shown } = created.body;
    const again = await get(`${SERVERS}/${id}`).expect(200);
    expect([again.body, again.headers.etag]).toEqual([shown, '"0"']);
    expect((await get(`${SERVERS}?_pageSize=1000`).expect(200)).body._list).toContainEqual(shown);
    const stored = await app.mongo.db.collection('scim_servers').findOne({ _id: id as never });
    expect(Object.keys(stored!.clientSecret as object).toSorted()).toEqual(['data', 'iv', 'keyId', 'tag']);
    expect(JSON.stringify(stored)).not.toContain(SERVER.clientSecret);
  });

  it('registers once per idempotency key, without repeating the secret', async () => {
    const send = () => post(SERVERS, SERVER).set('idempotency-key', 'register-once');
    const first = await send().expect(201);
    const { clientSecret: _secret, ...shown } = first.body;
    const second = await send().expect(201);
    expect([second.body, second.headers['idempotency-replayed']]).toEqual([shown, 'true']);
    const kept = await app.mongo.db.collection('idempotency_keys').find().toArray();
    expect(JSON.stringify(kept)).not.toContain(SERVER.clientSecret);
    // Servers without credentials are registered, too.
    const { clientId: _id, clientSecret, ...open } = SERVER;
    const { body } = await post(SERVERS, open).expect(201);
    expect(body).toEqual({ id: expect.any(String), ...open });
    await sendTwice(() => listen(body.id));
  });

  it.each([
    ['another protocol', { ...SERVER, baseUrl: 'file:///etc/passwd' }, ['body.baseUrl']],
    ['credentials in a URL', { ...SERVER, baseUrl: 'https://a:b@127.0.0.1/' }, ['body.baseUrl']],
    ['a query in the URL of the users', { ...SERVER, baseUrl: 'https://127.0.0.1/?a' }, ['body.baseUrl']],
    ['a private address', { ...SERVER, baseUrl: 'https://10.0.0.1/Users' }, ['body.baseUrl']],
    ['the metadata service', { ...SERVER, tokenUrl: 'https://169.254.169.254/latest' }, ['body.tokenUrl']],
    ['two plain HTTP addresses', { ...SERVER, baseUrl: HTTP, tokenUrl: HTTP }, ['body.baseUrl', 'body.tokenUrl']],
  ])('rejects %s', async (_what, body, locations) => {
    const rejected = await post(SERVERS, body).expect(400);
    expect(rejected.body.errors.map(({ location }: { location: string }) => location)).toEqual(locations);
  });

  it('removes a listener', async () => {
    const { headers } = await listen((await register()).id).expect(201);
    await remove(headers.location!).expect(204);
    await get(headers.location!).expect(404);
  });

  it('accepts one listener per event of a server', async () => {
    const { id } = await register();
    const responses = await Promise.all([listen(id), listen(id), listen(id, 'DELETE')]);
    expect(responses.map(({ status }) => status).sort()).toEqual([201, 201, 400]);
    expect(responses.find(({ status }) => status === 400)!.body.code).toBe('LISTENER_EXISTS');
  });

  it('deletes a server with its listeners on the expected revision', async () => {
    const { id } = await register();
    const listener = (await listen(id).expect(201)).body;
    await remove(`${SERVERS}/${id}`).set('if-match', '"7"').expect(412);
    await remove(`${SERVERS}/${id}`).set('if-match', '"0"').expect(204);
    for (const path of [`${SERVERS}/${id}`, `${LISTENERS}/${listener.id}`]) await get(path).expect(404);
    await remove(`${SERVERS}/${id}`).expect(404);
    expect((await get(`${SERVERS}?_pageSize=1000`)).body._list).not.toContainEqual(expect.objectContaining({ id }));
    expect((await listen(id).expect(400)).body.code).toBe('UNKNOWN_SCIM_SERVER');
  });

  it('rejects more than 100 servers', async () => {
    const servers = app.mongo.db.collection<{ _id: string }>('scim_servers');
    const { clientSecret: _secret, ...server } = SERVER;
    const filler = { ...server, createdAt: 0, createdById: 'test', _revision: 0 };
    await servers.insertMany(Array.from({ length: 100 }, (_, index) => ({ ...filler, _id: `filler-${index}` })));
    expect((await post(SERVERS, SERVER).expect(400)).body.code).toBe('TOO_MANY_SCIM_SERVERS');
    await servers.deleteMany({ createdById: 'test' });
  });
});
