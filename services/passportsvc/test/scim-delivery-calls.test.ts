import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@dtplatform/testing';
import { PATIENT, useDeliveries } from './delivery-client.js';

describe('the calls to SCIM servers', () => {
  const { test, startWorker, open, listenTo, register, logOf, reached, delivered, failing } = useDeliveries();

  describe('with a worker', () => {
    beforeEach(() => startWorker());

    it('requests one token for many calls, and another one when it is refused', async () => {
      const first = await test.users.create({ userName: 'token-1@x.test' });
      await delivered(first.id, ['CREATE']);
      const second = await test.users.create({ userName: 'token-2@x.test' });
      await delivered(second.id, ['CREATE']);
      expect(test.remote.state.tokenRequests).toBe(1);
      test.remote.revokeTokens();
      const third = await test.users.create({ userName: 'token-3@x.test' });
      await delivered(third.id, ['CREATE']);
      expect(test.remote.state.tokenRequests).toBe(2);
      expect((await logOf(third.id))[0]).toMatchObject({ attempts: 1 });
    });

    it('requests another token when the first one expires', async () => {
      const short = await open({ expiresIn: 0 });
      const id = await register(short.registration);
      for (const userName of ['short-1@x.test', 'short-2@x.test']) {
        const user = await test.users.create({ userName });
        await reached(user.id, ['CREATE DELIVERED'], id);
      }
      expect(short.state.tokenRequests).toBeGreaterThanOrEqual(2);
    });

    it('sends credentials in the body to servers that take them only there', async () => {
      const other = await open({ credentialsIn: 'body' });
      const id = await register(other.registration);
      const user = await test.users.create({ userName: 'body@x.test' });
      await reached(user.id, ['CREATE DELIVERED'], id);
      expect(other.userOf(user.id)).toHaveLength(1);
    });

    it.each([
      ['the grant and the scope', '?grant_type=client_credentials&scope=scim', 'header'],
      ['the client', '?tenant=x&client_id=platform+client', 'body'],
    ] as const)('leaves %s in the query of a token endpoint that has them', async (_, query, credentialsIn) => {
      const other = await open({ credentialsIn });
      const { tokenUrl } = other.registration;
      const id = await register({ ...other.registration, tokenUrl: `${tokenUrl}${query}` });
      const user = await test.users.create({ userName: `query-${credentialsIn}@x.test` });
      await reached(user.id, ['CREATE DELIVERED'], id);
    });

    it.each([400, 501])(
      'finds users by name on a server that refuses to filter by externalId with %d',
      async (status) => {
        const userName = `filter-${status}@x.test`;
        test.remote.users.set('there', { id: 'there', userName });
        test.remote.state.fault = (call, res, proceed) =>
          void (call.path.includes('filter=externalId') ? res.writeHead(status).end() : proceed());
        const user = await test.users.create({ userName });
        await delivered(user.id, ['CREATE']);
        await test.app.mongo.db
          .collection('scim_remote_users')
          .updateOne({ userId: user.id }, { $unset: { remoteId: 1 } });
        await test.users.update(user.id, { userName, title: 'Dr.' });
        await delivered(user.id, ['CREATE', 'UPDATE']);
        expect([...test.remote.users.values()]).toMatchObject([{ id: 'there', externalId: user.id, title: 'Dr.' }]);
      },
    );

    it.each([
      ['401', 401, undefined, 'the token endpoint answered 401'],
      ['no token', 200, '{}', 'the token endpoint answered without a valid access_token'],
      ['HTML', 200, '<p>', 'the token endpoint answered without a valid access_token'],
    ])('tries again when the token endpoint answers %s', async (what, status, body, message) => {
      test.remote.state.tokenFault = (_call, res) => void res.writeHead(status).end(body);
      const user = await test.users.create({ userName: `token-${what}@x.test` });
      await failing(user.id, message);
      expect(test.remote.calls).toEqual([]);
      test.remote.state.tokenFault = undefined;
      await delivered(user.id, ['CREATE']);
    });

    it('takes an answer of any length', async () => {
      const user = await test.users.create({ userName: 'large@x.test' });
      await delivered(user.id, ['CREATE']);
      test.remote.state.fault = (call, res, proceed) =>
        void (call.method === 'PUT' ? res.writeHead(200).end('x'.repeat(100_000)) : proceed());
      await test.users.update(user.id, { userName: 'large@x.test', title: 'Dr.' });
      await delivered(user.id, ['CREATE', 'UPDATE']);
    });

    it('follows no redirect, to a private address for example', async () => {
      const secrets: string[] = [];
      const inner = createServer((req, res) => {
        secrets.push(req.url!);
        res.end('{}');
      });
      await new Promise<void>((resolve) => inner.listen(0, '127.0.0.1', resolve));
      const location = `http://127.0.0.1:${(inner.address() as AddressInfo).port}/secret`;
      test.remote.state.fault = (_call, res) => void res.writeHead(307, { location }).end();
      const user = await test.users.create({ userName: 'redirect@x.test' });
      await failing(user.id, 'it answered with a redirect, which is not followed');
      expect(secrets).toEqual([]);
      await new Promise((resolve) => inner.close(resolve));
    });

    it('checks addresses again when it calls them', async () => {
      // As if the name had led elsewhere when it was registered.
      const { baseUrl } = test.remote.registration;
      const server = {
        baseUrl,
        tokenUrl: 'https://169.254.169.254/token',
        createdAt: 0,
        createdById: 'x',
        _revision: 0,
      };
      const id = 'f'.repeat(24);
      await test.app.mongo.db.collection('scim_servers').insertOne({ _id: id as never, ...server });
      await listenTo(id, ['CREATE']);
      const user = await test.users.create({ userName: 'rebound@x.test' });
      const lastError = 'the address of the server must not lead to a private or reserved address';
      await eventually(
        async () => expect(await logOf(user.id, id)).toMatchObject([{ lastError, status: 'PENDING' }]),
        PATIENT,
      );
    });
  });
});
