import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@dtplatform/testing';
import { startScimServer } from './scim-server.js';
import type { ScimTestServer, ScimUser } from './scim-server.js';
import { startApp } from './start-app.js';
import type { TestApp } from './start-app.js';
import { asApp } from './tokens.js';
import { createUserClient } from './user-client.js';

const SCIM = '/auth/realms/master/scim';
const CORE = 'urn:ietf:params:scim:schemas:core:2.0:User';
const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
/** Longer than the lease of a worker that died. */
const PATIENT = { timeoutMs: 30_000 };

describe('the delivery of users to SCIM servers', () => {
  let app: TestApp;
  let trusted: string;
  let users: ReturnType<typeof createUserClient>;
  let remote: ScimTestServer;
  let serverId: string;
  const opened: ScimTestServer[] = [];
  const workers: { stop: () => Promise<void> }[] = [];
  async function startWorker(settings: Record<string, string> = {}) {
    const worker = await app.startWorker(settings);
    workers.push(worker);
    return worker;
  }
  const api = (method: 'get' | 'post' | 'delete', path: string) =>
    app.api[method](`${SCIM}${path}`).set({ authorization: trusted });

  /** Registers a server for these events. */
  async function register(registration: object, events = ['CREATE', 'UPDATE', 'DELETE']): Promise<string> {
    const { id } = (await api('post', '/servers').send(registration).expect(201)).body;
    await listenTo(id as string, events);
    return id as string;
  }
  async function listenTo(scimServerDetailId: string, events: string[]): Promise<void> {
    for (const eventName of events) {
      await api('post', '/listeners').send({ scimServerDetailId, eventName, realmId: 'iam' }).expect(201);
    }
  }
  async function open(options: Parameters<typeof startScimServer>[0] = {}): Promise<ScimTestServer> {
    const server = await startScimServer(options);
    opened.push(server);
    return server;
  }
  async function logOf(userId: string, of = serverId) {
    const reply = await api('get', `/deliveries?userId=${userId}&scimServerDetailId=${of}`).expect(200);
    return (
      reply.body._list as { id: string; eventName: string; status: string; attempts: number; lastError?: string }[]
    )
      .reverse()
      .map(({ id, eventName, status, attempts, lastError }) => ({ id, eventName, status, attempts, lastError }));
  }
  const statusesOf = async (userId: string, of = serverId) =>
    (await logOf(userId, of)).map(({ eventName, status }) => `${eventName} ${status}`);
  const delivered = (userId: string, events: string[]) =>
    eventually(
      async () => expect(await statusesOf(userId)).toEqual(events.map((event) => `${event} DELIVERED`)),
      PATIENT,
    );
  const failing = (userId: string, message: string) =>
    eventually(
      async () => expect((await logOf(userId)).at(-1)).toMatchObject({ lastError: message, status: 'PENDING' }),
      PATIENT,
    );

  beforeAll(async () => {
    app = await startApp({ EGRESS_ALLOW: '127.0.0.1' });
    trusted = await asApp(app);
    users = createUserClient(app, trusted);
  });
  beforeEach(async () => {
    remote = await open();
    serverId = await register(remote.registration);
  });
  afterEach(async () => {
    await Promise.all(workers.splice(0).map((worker) => worker.stop()));
    const { _list } = (await api('get', '/servers?_pageSize=1000')).body as { _list: { id: string }[] };
    for (const { id } of _list) await api('delete', `/servers/${id}`).expect(204);
    await Promise.all(opened.splice(0).map((server) => server.close()));
  });
  afterAll(() => app.stop());

  describe('with a worker', () => {
    beforeEach(() => startWorker());

    it('creates, updates and deletes users on the server, with our id as externalId', async () => {
      const user = await users.create({
        userName: 'anna@x.test',
        name: { givenName: 'Anna' },
        emails: [{ value: 'a@x.test' }],
      });
      await delivered(user.id, ['CREATE']);
      const [created] = remote.userOf(user.id);
      expect(created).toMatchObject({
        schemas: [CORE],
        externalId: user.id,
        userName: 'anna@x.test',
        name: { givenName: 'Anna' },
        emails: [{ value: 'a@x.test' }],
        active: true,
      });
      expect(Object.keys(created!).filter((name) => name.startsWith('_') || name === 'password')).toEqual([]);
      expect(remote.calls[0]).toMatchObject({
        method: 'POST',
        path: '/v2/Users',
        contentType: 'application/scim+json',
      });

      await users.update(user.id, { userName: 'anna@x.test', displayName: 'Anna B.' });
      await delivered(user.id, ['CREATE', 'UPDATE']);
      expect(remote.userOf(user.id)).toMatchObject([{ id: created!.id, displayName: 'Anna B.' }]);
      expect(remote.calls.at(-1)).toMatchObject({
        method: 'PUT',
        path: `/v2/Users/${encodeURIComponent(created!.id)}`,
      });

      await users.remove(user.id);
      await delivered(user.id, ['CREATE', 'UPDATE', 'DELETE']);
      expect(remote.users.size).toBe(0);
      expect(remote.calls.at(-1)).toMatchObject({ method: 'DELETE' });
      expect(await app.mongo.db.collection('scim_remote_users').countDocuments({ userId: user.id })).toBe(0);
    });

    it('sends all attributes, those of the enterprise extension too, and no password', async () => {
      const attributes = { nickName: 'E', [ENTERPRISE]: { department: 'Engines' } };
      const sent = { schemas: [CORE, ENTERPRISE], userName: 'all@x.test', ...attributes };
      const user = await users.create({ ...sent, externalId: 'theirs', password: 'a password of some length' });
      await delivered(user.id, ['CREATE']);
      const [{ id: _id, ...received }] = remote.userOf(user.id) as [ScimUser];
      expect(received).toEqual({ ...sent, active: true, externalId: user.id });
    });

    it('takes an answer of any length', async () => {
      const user = await users.create({ userName: 'large@x.test' });
      await delivered(user.id, ['CREATE']);
      remote.state.fault = (call, res, proceed) =>
        void (call.method === 'PUT' ? res.writeHead(200).end('x'.repeat(100_000)) : proceed());
      await users.update(user.id, { userName: 'large@x.test', title: 'Dr.' });
      await delivered(user.id, ['CREATE', 'UPDATE']);
    });

    it('requests one token for many calls, and another one when it is refused', async () => {
      const first = await users.create({ userName: 'token-1@x.test' });
      await delivered(first.id, ['CREATE']);
      const second = await users.create({ userName: 'token-2@x.test' });
      await delivered(second.id, ['CREATE']);
      expect(remote.state.tokenRequests).toBe(1);
      remote.revokeTokens();
      const third = await users.create({ userName: 'token-3@x.test' });
      await delivered(third.id, ['CREATE']);
      expect(remote.state.tokenRequests).toBe(2);
      expect((await logOf(third.id))[0]).toMatchObject({ attempts: 1 });
    });

    it('requests another token when the first one expires', async () => {
      const short = await open({ expiresIn: 0 });
      const id = await register(short.registration);
      for (const userName of ['short-1@x.test', 'short-2@x.test']) {
        const user = await users.create({ userName });
        await eventually(async () => expect(await statusesOf(user.id, id)).toEqual(['CREATE DELIVERED']), PATIENT);
      }
      expect(short.state.tokenRequests).toBeGreaterThanOrEqual(2);
    });

    it('sends credentials in the body to servers that take them only there', async () => {
      const other = await open({ credentialsIn: 'body' });
      const id = await register(other.registration);
      const user = await users.create({ userName: 'body@x.test' });
      await eventually(async () => expect(await statusesOf(user.id, id)).toEqual(['CREATE DELIVERED']), PATIENT);
      expect(other.userOf(user.id)).toHaveLength(1);
    });

    it('tells a server only of the events that it listens to', async () => {
      const other = await open();
      const id = await register(other.registration, ['UPDATE']);
      const user = await users.create({ userName: 'some-events@x.test' });
      await delivered(user.id, ['CREATE']);
      expect(await statusesOf(user.id, id)).toEqual([]);
      await users.update(user.id, { userName: 'some-events@x.test', displayName: 'now' });
      await eventually(async () => expect(await statusesOf(user.id, id)).toEqual(['UPDATE DELIVERED']), PATIENT);
      expect(other.userOf(user.id)).toMatchObject([{ displayName: 'now' }]);
      await users.remove(user.id);
      await delivered(user.id, ['CREATE', 'UPDATE', 'DELETE']);
      expect(await statusesOf(user.id, id)).toEqual(['UPDATE DELIVERED']);
      const known = () => app.mongo.db.collection('scim_remote_users').countDocuments({ userId: user.id });
      await eventually(async () => expect(await known()).toBe(0), PATIENT);
    });

    it('waits for a server that is down, and delivers the latest state, in order', async () => {
      const user = await users.create({ userName: 'down@x.test' });
      await delivered(user.id, ['CREATE']);
      await remote.goDown();
      await users.update(user.id, { userName: 'down@x.test', displayName: 'first' });
      await failing(user.id, 'the host refused the connection');
      await users.update(user.id, { userName: 'down@x.test', displayName: 'second' });
      await remote.comeBack();
      await delivered(user.id, ['CREATE', 'UPDATE', 'UPDATE']);
      expect(remote.userOf(user.id)).toMatchObject([{ displayName: 'second' }]);
      expect(remote.calls.filter(({ body }) => body?.displayName === 'first')).toEqual([]);
    });

    it('delivers nothing of a user that was created and deleted while the server was down', async () => {
      await remote.goDown();
      const user = await users.create({ userName: 'short-life@x.test' });
      await failing(user.id, 'the host refused the connection');
      await users.remove(user.id);
      await remote.comeBack();
      await delivered(user.id, ['CREATE', 'DELETE']);
      expect(remote.methodsOf(user.id)).toEqual([]);
      expect(remote.users.size).toBe(0);
    });

    it.each([
      [
        '500',
        (res: { writeHead(status: number): { end(): unknown } }) => res.writeHead(500).end(),
        'the server answered POST with 500',
      ],
      [
        '429',
        (res: { writeHead(status: number): { end(): unknown } }) => res.writeHead(429).end(),
        'the server answered POST with 429',
      ],
      [
        '400',
        (res: { writeHead(status: number): { end(): unknown } }) => res.writeHead(400).end(),
        'the server answered POST with 400',
      ],
    ])('tries again after a %s', async (_status, answer, message) => {
      remote.state.fault = (call, res, proceed) => void (call.method === 'POST' ? answer(res) : proceed());
      const user = await users.create({ userName: `again-${_status}@x.test` });
      await failing(user.id, message);
      remote.state.fault = undefined;
      await delivered(user.id, ['CREATE']);
      expect(remote.userOf(user.id)).toHaveLength(1);
      expect((await logOf(user.id))[0]!.lastError).toBeUndefined();
    });

    it('does not create a user twice when the answer is lost', async () => {
      let lost = 0;
      remote.state.fault = (call, res, proceed) => {
        if (call.method !== 'POST' || lost++ > 0) return proceed();
        // The user is created, and the connection breaks.
        Object.assign(res, { writeHead: () => ({ end: () => res.destroy() }) });
        proceed();
      };
      const user = await users.create({ userName: 'lost@x.test' });
      await delivered(user.id, ['CREATE']);
      expect(remote.userOf(user.id)).toHaveLength(1);
      expect(remote.calls.filter(({ method }) => method === 'POST')).toHaveLength(1);
    });

    it('takes over a user of the same name that the server has already', async () => {
      remote.users.set('there', { id: 'there', userName: 'there@x.test' });
      const user = await users.create({ userName: 'there@x.test', displayName: 'ours' });
      await delivered(user.id, ['CREATE']);
      expect([...remote.users.values()]).toMatchObject([{ id: 'there', externalId: user.id, displayName: 'ours' }]);
      await users.remove(user.id);
      await delivered(user.id, ['CREATE', 'DELETE']);
      expect(remote.users.size).toBe(0);
    });

    it('creates a user again that the server has lost', async () => {
      const user = await users.create({ userName: 'gone@x.test' });
      await delivered(user.id, ['CREATE']);
      remote.users.clear();
      await users.update(user.id, { userName: 'gone@x.test', displayName: 'again' });
      await delivered(user.id, ['CREATE', 'UPDATE']);
      expect(remote.userOf(user.id)).toMatchObject([{ displayName: 'again' }]);
      remote.users.clear();
      await users.remove(user.id);
      await delivered(user.id, ['CREATE', 'UPDATE', 'DELETE']);
    });

    it('is not held up by another server that is slow', async () => {
      const slow = await open();
      slow.state.fault = () => undefined;
      const id = await register(slow.registration);
      const user = await users.create({ userName: 'slow@x.test' });
      await delivered(user.id, ['CREATE']);
      await eventually(
        async () => expect((await logOf(user.id, id))[0]).toMatchObject({ lastError: 'there was no answer in time' }),
        PATIENT,
      );
      slow.state.fault = undefined;
      await eventually(async () => expect(await statusesOf(user.id, id)).toEqual(['CREATE DELIVERED']), PATIENT);
    });

    it('is not held up by a user that the server refuses', async () => {
      remote.state.fault = (call, res, proceed) =>
        void (call.body?.userName === 'refused@x.test' ? res.writeHead(400).end() : proceed());
      const refused = await users.create({ userName: 'refused@x.test' });
      await failing(refused.id, 'the server answered POST with 400');
      const user = await users.create({ userName: 'accepted@x.test' });
      await delivered(user.id, ['CREATE']);
    });

    it('follows no redirect, to a private address for example', async () => {
      const secrets: string[] = [];
      const inner = createServer((req, res) => {
        secrets.push(req.url!);
        res.end('{}');
      });
      await new Promise<void>((resolve) => inner.listen(0, '127.0.0.1', resolve));
      const location = `http://127.0.0.1:${(inner.address() as AddressInfo).port}/secret`;
      remote.state.fault = (_call, res) => void res.writeHead(307, { location }).end();
      const user = await users.create({ userName: 'redirect@x.test' });
      await failing(user.id, 'it answered with a redirect, which is not followed');
      expect(secrets).toEqual([]);
      await new Promise((resolve) => inner.close(resolve));
    });

    it('checks addresses again when it calls them', async () => {
      // As if the name had led elsewhere when it was registered.
      const { baseUrl } = remote.registration;
      const server = {
        baseUrl,
        tokenUrl: 'https://169.254.169.254/token',
        createdAt: 0,
        createdById: 'x',
        _revision: 0,
      };
      const id = 'f'.repeat(24);
      await app.mongo.db.collection('scim_servers').insertOne({ _id: id as never, ...server });
      await listenTo(id, ['CREATE']);
      const user = await users.create({ userName: 'rebound@x.test' });
      const lastError = 'the address of the server must not lead to a private or reserved address';
      await eventually(
        async () => expect(await logOf(user.id, id)).toMatchObject([{ lastError, status: 'PENDING' }]),
        PATIENT,
      );
    });

    it.each([
      [
        '401',
        (res: { writeHead(s: number): { end(b?: string): unknown } }) => res.writeHead(401).end(),
        'the token endpoint answered 401',
      ],
      [
        'no token',
        (res: { writeHead(s: number): { end(b?: string): unknown } }) => res.writeHead(200).end('{}'),
        'the token endpoint answered without a valid access_token',
      ],
      [
        'HTML',
        (res: { writeHead(s: number): { end(b?: string): unknown } }) => res.writeHead(200).end('<p>'),
        'the token endpoint answered without a valid access_token',
      ],
    ])('tries again when the token endpoint answers %s', async (what, answer, message) => {
      remote.state.tokenFault = (_call, res) => void answer(res);
      const user = await users.create({ userName: `token-${what}@x.test` });
      await failing(user.id, message);
      expect(remote.calls).toEqual([]);
      remote.state.tokenFault = undefined;
      await delivered(user.id, ['CREATE']);
    });

    it('keeps the log of what is delivered for 30 days, and shows it by server, user and status', async () => {
      const user = await users.create({ userName: 'log@x.test' });
      await delivered(user.id, ['CREATE']);
      const [entry] = (await api('get', `/deliveries?status=DELIVERED&userId=${user.id}`).expect(200)).body._list;
      expect(entry).toEqual({
        id: expect.any(String),
        realmId: 'iam',
        scimServerDetailId: serverId,
        userId: user.id,
        eventName: 'CREATE',
        status: 'DELIVERED',
        attempts: 1,
        createdAt: expect.any(Number),
        updatedAt: expect.any(Number),
      });
      expect((await api('get', `/deliveries/${entry.id}`).expect(200)).body).toEqual(entry);
      await api('get', '/deliveries/none').expect(404);
      expect((await api('get', `/deliveries?status=FAILED&userId=${user.id}`)).body._total).toBe(0);
      const stored = await app.mongo.db.collection('scim_deliveries').findOne({ _id: entry.id });
      expect((stored!.expiresAt as Date).getTime() - entry.updatedAt).toBe(30 * 24 * 3_600_000);
      const refused = await api('post', `/deliveries/${entry.id}/retry`).expect(409);
      expect(refused.body.code).toBe('DELIVERY_NOT_FAILED');
    });

    it('cancels what waits for a server that is deleted', async () => {
      await remote.goDown();
      const user = await users.create({ userName: 'cancelled@x.test' });
      await failing(user.id, 'the host refused the connection');
      await api('delete', `/servers/${serverId}`).expect(204);
      await eventually(async () => expect(await statusesOf(user.id)).toEqual(['CREATE CANCELLED']), PATIENT);
      const ofServer = { scimServerDetailId: serverId };
      const known = () => app.mongo.db.collection('scim_remote_users').countDocuments(ofServer);
      await eventually(async () => expect(await known()).toBe(0), PATIENT);
    });

    it('is shared by several workers, and each change is sent once', async () => {
      await startWorker();
      const all = await Promise.all(
        Array.from({ length: 20 }, (_, n) => users.create({ userName: `many-${n}@x.test` })),
      );
      for (const { id } of all) await delivered(id, ['CREATE']);
      for (const { id } of all) expect(remote.methodsOf(id)).toEqual(['POST']);
    });
  });

  it('gives up after a while, and tries again when an administrator asks for it', async () => {
    await startWorker({ SCIM_DELIVERY_GIVE_UP_SEC: '1' });
    remote.state.fault = (_call, res) => void res.writeHead(503).end();
    const user = await users.create({ userName: 'dead@x.test' });
    await eventually(async () => expect(await statusesOf(user.id)).toEqual(['CREATE FAILED']), PATIENT);
    const [dead] = await logOf(user.id);
    expect(dead).toMatchObject({ lastError: expect.stringMatching(/^the server answered (POST|GET) with 503$/) });
    remote.state.fault = undefined;
    expect((await api('post', `/deliveries/${dead!.id}/retry`).expect(200)).body).toMatchObject({ status: 'PENDING' });
    await delivered(user.id, ['CREATE']);
    expect(remote.userOf(user.id)).toHaveLength(1);
  });

  it('delivers a later change of a user that was given up', async () => {
    await startWorker({ SCIM_DELIVERY_GIVE_UP_SEC: '1' });
    remote.state.fault = (_call, res) => void res.writeHead(503).end();
    const user = await users.create({ userName: 'revived@x.test' });
    await eventually(async () => expect(await statusesOf(user.id)).toEqual(['CREATE FAILED']), PATIENT);
    remote.state.fault = undefined;
    await users.update(user.id, { userName: 'revived@x.test', displayName: 'later' });
    await eventually(
      async () => expect(await statusesOf(user.id)).toEqual(['CREATE FAILED', 'UPDATE DELIVERED']),
      PATIENT,
    );
    expect(remote.userOf(user.id)).toMatchObject([{ displayName: 'later' }]);
  });

  it('continues what a worker has left when it died', async () => {
    const dying = await startWorker({ SHUTDOWN_GRACE_MS: '1' });
    let isCreated = false;
    // The server has created the user, and does not answer before the worker dies.
    remote.state.fault = (call, _res, proceed) => {
      if (call.method !== 'POST') return proceed();
      remote.users.set('there', { ...call.body, id: 'there' } as never);
      isCreated = true;
    };
    const user = await users.create({ userName: 'orphan@x.test' });
    await eventually(() => expect(isCreated).toBe(true), PATIENT);
    await dying.stop();
    expect(await statusesOf(user.id)).toEqual(['CREATE PENDING']);
    await startWorker();
    await delivered(user.id, ['CREATE']);
    expect(remote.userOf(user.id)).toMatchObject([{ id: 'there' }]);
    expect(remote.users.size).toBe(1);
  });

  it('records no event of a change that was not written', async () => {
    const user = await users.create({ userName: 'unique@x.test' });
    await users.refuse({ userName: 'UNIQUE@x.test' });
    const { _total } = (await api('get', `/deliveries?scimServerDetailId=${serverId}`)).body;
    expect([_total, await statusesOf(user.id)]).toEqual([1, ['CREATE PENDING']]);
  });
});
