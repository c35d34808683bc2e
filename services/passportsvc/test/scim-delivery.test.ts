import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@dtplatform/testing';
import { PATIENT, useDeliveries } from './delivery-client.js';

const CORE = 'urn:ietf:params:scim:schemas:core:2.0:User';
const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';

const { test, api, startWorker, open, register, ...deliveries } = useDeliveries();
const { listenTo, logOf, statusesOf, delivered, failing, countKnown } = deliveries;

describe('the delivery of users to SCIM servers', () => {
  describe('with a worker', () => {
    beforeEach(() => startWorker());

    it('creates users on the server with our id and all attributes, except the password, updates and deletes them', async () => {
      const attributes = { nickName: 'E', emails: [{ value: 'a@x.test' }], [ENTERPRISE]: { department: 'Engines' } };
      const sent = { schemas: [CORE, ENTERPRISE], userName: 'anna@x.test', ...attributes };
      const user = await test.users.create({ ...sent, externalId: 'theirs', password: 'a password of some length' });
      await delivered(user.id, ['CREATE']);
      const [created] = test.remote.userOf(user.id);
      expect(created).toEqual({ ...sent, id: created!.id, active: true, externalId: user.id });
      const contentType = 'application/scim+json';
      expect(test.remote.calls[0]).toMatchObject({ method: 'POST', path: '/v2/Users', contentType });

      await test.users.update(user.id, { userName: 'anna@x.test', displayName: 'Anna B.' });
      await delivered(user.id, ['CREATE', 'UPDATE']);
      expect(test.remote.userOf(user.id)).toMatchObject([{ id: created!.id, displayName: 'Anna B.' }]);
      const path = `/v2/Users/${encodeURIComponent(created!.id)}`;
      expect(test.remote.calls.at(-1)).toMatchObject({ method: 'PUT', path });

      await test.users.remove(user.id);
      await delivered(user.id, ['CREATE', 'UPDATE', 'DELETE']);
      expect(test.remote.users.size).toBe(0);
      expect(test.remote.calls.at(-1)).toMatchObject({ method: 'DELETE' });
      expect(await countKnown({ userId: user.id })).toBe(0);
    });

    it('sends a server only the events that it listens to', async () => {
      const other = await open();
      const id = await register(other.registration, ['UPDATE']);
      const user = await test.users.create({ userName: 'some-events@x.test' });
      await delivered(user.id, ['CREATE']);
      expect(await statusesOf(user.id, id)).toEqual([]);
      await test.users.update(user.id, { userName: 'some-events@x.test', displayName: 'now' });
      await delivered(user.id, ['UPDATE'], id);
      expect(other.userOf(user.id)).toMatchObject([{ displayName: 'now' }]);
      await test.users.remove(user.id);
      await delivered(user.id, ['CREATE', 'UPDATE', 'DELETE']);
      expect(await statusesOf(user.id, id)).toEqual(['UPDATE DELIVERED']);
      await eventually(async () => expect(await countKnown({ userId: user.id })).toBe(0), PATIENT);
    });

    it('adopts an existing user with the same name', async () => {
      test.remote.users.set('there', { id: 'there', userName: 'there@x.test' });
      const user = await test.users.create({ userName: 'there@x.test', displayName: 'ours' });
      await delivered(user.id, ['CREATE']);
      const adopted = { id: 'there', externalId: user.id, displayName: 'ours' };
      expect([...test.remote.users.values()]).toMatchObject([adopted]);
      await test.users.remove(user.id);
      await delivered(user.id, ['CREATE', 'DELETE']);
      expect(test.remote.users.size).toBe(0);
    });

    it('recreates a user that the server has lost', async () => {
      const user = await test.users.create({ userName: 'gone@x.test' });
      await delivered(user.id, ['CREATE']);
      test.remote.users.clear();
      await test.users.update(user.id, { userName: 'gone@x.test', displayName: 'again' });
      await delivered(user.id, ['CREATE', 'UPDATE']);
      expect(test.remote.userOf(user.id)).toMatchObject([{ displayName: 'again' }]);
      test.remote.users.clear();
      await test.users.remove(user.id);
      await delivered(user.id, ['CREATE', 'UPDATE', 'DELETE']);
    });

    it('sends each change once with several workers', async () => {
      await startWorker();
      const creations = Array.from({ length: 20 }, (_, n) => test.users.create({ userName: `many-${n}@x.test` }));
      const all = await Promise.all(creations);
      for (const { id } of all) await delivered(id, ['CREATE']);
      for (const { id } of all) expect(test.remote.methodsOf(id)).toEqual(['POST']);
    });

    it('logs deliveries for 30 days, by server, user and status', async () => {
      const user = await test.users.create({ userName: 'log@x.test' });
      await delivered(user.id, ['CREATE']);
      const [entry] = (await api('get', `/deliveries?status=DELIVERED&userId=${user.id}`).expect(200)).body._list;
      expect(entry).toEqual({
        ...{ id: expect.any(String), realmId: 'iam', scimServerDetailId: test.serverId, userId: user.id },
        ...{ eventName: 'CREATE', status: 'DELIVERED', attempts: 1 },
        ...{ createdAt: expect.any(Number), updatedAt: expect.any(Number) },
      });
      expect((await api('get', `/deliveries/${entry.id}`).expect(200)).body).toEqual(entry);
      expect((await api('get', `/deliveries?status=FAILED&userId=${user.id}`)).body._total).toBe(0);
      const stored = await test.app.mongo.db.collection('scim_deliveries').findOne({ _id: entry.id });
      expect((stored!.expiresAt as Date).getTime() - entry.updatedAt).toBe(30 * 24 * 3_600_000);
      const rejected = await api('post', `/deliveries/${entry.id}/retry`).expect(409);
      expect(rejected.body.code).toBe('DELIVERY_NOT_FAILED');
    });
  });

  it('records no event of a change that is rejected or has no effect', async () => {
    const user = await test.users.create({ userName: 'unique@x.test' });
    await test.users.update(user.id, { userName: 'unique@x.test' });
    await test.users.reject({ userName: 'UNIQUE@x.test' });
    const { _total } = (await api('get', `/deliveries?scimServerDetailId=${test.serverId}`)).body;
    expect([_total, await statusesOf(user.id)]).toEqual([1, ['CREATE PENDING']]);
  });
});

describe('the calls to SCIM servers', () => {
  describe('with a worker', () => {
    beforeEach(() => startWorker());

    it('request one token for many calls, and another one after a rejection', async () => {
      for (const userName of ['token-1@x.test', 'token-2@x.test'])
        await delivered((await test.users.create({ userName })).id, ['CREATE']);
      expect(test.remote.state.tokenRequests).toBe(1);
      test.remote.revokeTokens();
      const third = await test.users.create({ userName: 'token-3@x.test' });
      await delivered(third.id, ['CREATE']);
      expect(test.remote.state.tokenRequests).toBe(2);
      expect((await logOf(third.id))[0]).toMatchObject({ attempts: 1 });
    });

    it('request another token when the first one expires', async () => {
      const short = await open({ expiresIn: 0 });
      const id = await register(short.registration);
      for (const userName of ['short-1@x.test', 'short-2@x.test'])
        await delivered((await test.users.create({ userName })).id, ['CREATE'], id);
      expect(short.state.tokenRequests).toBeGreaterThanOrEqual(2);
    });

    it('send credentials in the body to servers that accept them only there, without what the query has', async () => {
      const user = await test.users.create({ userName: 'body@x.test' });
      await delivered(user.id, ['CREATE']);
      for (const query of ['?grant_type=client_credentials&scope=scim', '?tenant=x&client_id=platform+client']) {
        const other = await open({ credentialsIn: 'body' });
        const { tokenUrl } = other.registration;
        const id = await register({ ...other.registration, tokenUrl: `${tokenUrl}${query}` });
        await test.users.update(user.id, { userName: 'body@x.test', title: query });
        await delivered(user.id, ['UPDATE'], id);
      }
    });

    it('find users by name on a server that rejects a filter by externalId', async () => {
      const userName = 'filter@x.test';
      test.remote.users.set('there', { id: 'there', userName });
      test.remote.state.fault = (call, res, proceed) =>
        void (call.path.includes('filter=externalId') ? res.writeHead(501).end() : proceed());
      const user = await test.users.create({ userName });
      await delivered(user.id, ['CREATE']);
      const remoteUsers = test.app.mongo.db.collection('scim_remote_users');
      await remoteUsers.updateOne({ userId: user.id }, { $unset: { remoteId: 1 } });
      await test.users.update(user.id, { userName, title: 'Dr.' });
      await delivered(user.id, ['CREATE', 'UPDATE']);
      expect([...test.remote.users.values()]).toMatchObject([{ id: 'there', externalId: user.id, title: 'Dr.' }]);
    });

    it.each([
      ['401', 401, undefined, 'the token endpoint responded with 401'],
      ['HTML', 200, '<p>', 'the token endpoint responded without a valid access_token'],
    ])('are retried when the token endpoint responds with %s', async (what, status, body, message) => {
      test.remote.state.tokenFault = (_call, res) => void res.writeHead(status).end(body);
      const user = await test.users.create({ userName: `token-${what}@x.test` });
      await failing(user.id, message);
      expect(test.remote.calls).toEqual([]);
      test.remote.state.tokenFault = undefined;
      await delivered(user.id, ['CREATE']);
    });

    it('accept a response of any length', async () => {
      const user = await test.users.create({ userName: 'large@x.test' });
      await delivered(user.id, ['CREATE']);
      test.remote.state.fault = (call, res, proceed) =>
        void (call.method === 'PUT' ? res.writeHead(200).end('x'.repeat(100_000)) : proceed());
      await test.users.update(user.id, { userName: 'large@x.test', title: 'Dr.' });
      await delivered(user.id, ['CREATE', 'UPDATE']);
    });

    it('follow no redirects, for example to a private address', async () => {
      const secrets: string[] = [];
      const inner = createServer((req, res) => {
        secrets.push(req.url!);
        res.end('{}');
      });
      await new Promise<void>((resolve) => inner.listen(0, '127.0.0.1', resolve));
      const location = `http://127.0.0.1:${(inner.address() as AddressInfo).port}/secret`;
      test.remote.state.fault = (_call, res) => void res.writeHead(307, { location }).end();
      const user = await test.users.create({ userName: 'redirect@x.test' });
      await failing(user.id, 'it responded with a redirect, which is not followed');
      expect(secrets).toEqual([]);
      await new Promise((resolve) => inner.close(resolve));
    });

    it('check addresses again', async () => {
      // As if the name had resolved elsewhere at the registration.
      const { baseUrl } = test.remote.registration;
      const [_id, tokenUrl] = ['f'.repeat(24), 'https://169.254.169.254/token'];
      const server = { _id, baseUrl, tokenUrl, createdAt: 0, createdById: 'x', _revision: 0 };
      await test.app.mongo.db.collection<{ _id: string }>('scim_servers').insertOne(server);
      await listenTo(_id, ['CREATE']);
      const user = await test.users.create({ userName: 'rebound@x.test' });
      await failing(user.id, 'the address of the server must not lead to a private or reserved address', _id);
    });
  });
});
