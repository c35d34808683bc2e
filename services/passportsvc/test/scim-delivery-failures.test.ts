import { beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@dtplatform/testing';
import { PATIENT, useDeliveries } from './delivery-client.js';

describe('the delivery of users to SCIM servers that fail', () => {
  const { test, api, startWorker, open, register, logOf, statusesOf, reached, delivered, failing, countKnown } =
    useDeliveries();

  describe('with a worker', () => {
    beforeEach(() => startWorker());

    it('delivers the latest state, in order, to a server that was down', async () => {
      const user = await test.users.create({ userName: 'down@x.test' });
      await delivered(user.id, ['CREATE']);
      await test.remote.goDown();
      await test.users.update(user.id, { userName: 'down@x.test', displayName: 'first' });
      await failing(user.id, 'the host refused the connection');
      await test.users.update(user.id, { userName: 'down@x.test', displayName: 'second' });
      await test.remote.comeBack();
      await delivered(user.id, ['CREATE', 'UPDATE', 'UPDATE']);
      expect(test.remote.userOf(user.id)).toMatchObject([{ displayName: 'second' }]);
      expect(test.remote.calls.filter(({ body }) => body?.displayName === 'first')).toEqual([]);
    });

    it('delivers nothing about a user who was created and deleted while the server was down', async () => {
      await test.remote.goDown();
      const user = await test.users.create({ userName: 'short-life@x.test' });
      await failing(user.id, 'the host refused the connection');
      await test.users.remove(user.id);
      await test.remote.comeBack();
      await delivered(user.id, ['CREATE', 'DELETE']);
      expect(test.remote.methodsOf(user.id)).toEqual([]);
      expect(test.remote.users.size).toBe(0);
    });

    it('retries after a 429', async () => {
      test.remote.state.fault = (call, res, proceed) =>
        void (call.method === 'POST' ? res.writeHead(429).end() : proceed());
      const user = await test.users.create({ userName: 'again@x.test' });
      await failing(user.id, 'the server responded to POST with 429');
      test.remote.state.fault = undefined;
      await delivered(user.id, ['CREATE']);
      expect(test.remote.userOf(user.id)).toHaveLength(1);
      expect((await logOf(user.id))[0]!.lastError).toBeUndefined();
    });

    it('creates a user once even if the response is lost', async () => {
      let lost = 0;
      test.remote.state.fault = (call, res, proceed) => {
        // Creates the user, then breaks the connection.
        if (call.method === 'POST' && lost++ === 0)
          Object.assign(res, { writeHead: () => ({ end: () => res.destroy() }) });
        proceed();
      };
      const user = await test.users.create({ userName: 'lost@x.test' });
      await delivered(user.id, ['CREATE']);
      expect(test.remote.userOf(user.id)).toHaveLength(1);
      expect(test.remote.calls.filter(({ method }) => method === 'POST')).toHaveLength(1);
    });

    it('is not delayed by another server that is slow', async () => {
      const slow = await open();
      slow.state.fault = () => undefined;
      const id = await register(slow.registration);
      const user = await test.users.create({ userName: 'slow@x.test' });
      await delivered(user.id, ['CREATE']);
      await failing(user.id, 'there was no response in time', id);
      slow.state.fault = undefined;
      await reached(user.id, ['CREATE DELIVERED'], id);
    });

    it('is not delayed by a user that the server rejects', async () => {
      test.remote.state.fault = (call, res, proceed) =>
        void (call.body?.userName === 'refused@x.test' ? res.writeHead(400).end() : proceed());
      const rejected = await test.users.create({ userName: 'refused@x.test' });
      await failing(rejected.id, 'the server responded to POST with 400');
      const user = await test.users.create({ userName: 'accepted@x.test' });
      await delivered(user.id, ['CREATE']);
      test.remote.state.fault = undefined;
      await delivered(rejected.id, ['CREATE']);
    });

    it('is cancelled for a server that is deleted', async () => {
      await test.remote.goDown();
      const user = await test.users.create({ userName: 'cancelled@x.test' });
      await failing(user.id, 'the host refused the connection');
      await api('delete', `/servers/${test.serverId}`).expect(204);
      await reached(user.id, ['CREATE CANCELLED']);
      await eventually(async () => expect(await countKnown({ scimServerDetailId: test.serverId })).toBe(0), PATIENT);
    });
  });

  it("gives up after a while, and retries at an administrator's request", async () => {
    await startWorker({ SCIM_DELIVERY_GIVE_UP_SEC: '1' });
    test.remote.state.fault = (_call, res) => void res.writeHead(503).end();
    const user = await test.users.create({ userName: 'dead@x.test' });
    await reached(user.id, ['CREATE FAILED']);
    const [dead] = await logOf(user.id);
    expect(dead).toMatchObject({ lastError: expect.stringMatching(/^the server responded to (POST|GET) with 503$/) });
    test.remote.state.fault = undefined;
    expect((await api('post', `/deliveries/${dead!.id}/retry`).expect(200)).body).toMatchObject({ status: 'PENDING' });
    await delivered(user.id, ['CREATE']);
    expect(test.remote.userOf(user.id)).toHaveLength(1);
  });

  it('counts outdated users until they are delivered or their server is deleted', async () => {
    const { jobs } = await startWorker({ SCIM_DELIVERY_GIVE_UP_SEC: '1' });
    const count = jobs.gauges!.find(({ name }) => name === 'scim_deliveries_failed')!.read;
    const counted = (expected: number) => eventually(async () => expect(await count()).toBe(expected), PATIENT);
    test.remote.state.fault = (_call, res) => void res.writeHead(503).end();
    const user = await test.users.create({ userName: 'counted@x.test' });
    const other = await test.users.create({ userName: 'uncounted@x.test' });
    await Promise.all([user, other].map(({ id }) => reached(id, ['CREATE FAILED'])));
    await counted(2);
    test.remote.state.fault = undefined;
    // A later change is delivered.
    await test.users.update(user.id, { userName: 'counted@x.test', displayName: 'later' });
    await reached(user.id, ['CREATE FAILED', 'UPDATE DELIVERED']);
    expect(test.remote.userOf(user.id)).toMatchObject([{ displayName: 'later' }]);
    await counted(1);
    await api('delete', `/servers/${test.serverId}`).expect(204);
    await counted(0);
  });

  it('continues the work of a crashed worker', async () => {
    const dying = await startWorker({ SHUTDOWN_GRACE_MS: '1' });
    let isCreated = false;
    // The server creates the user, and responds only after the crash.
    test.remote.state.fault = (call, _res, proceed) => {
      if (call.method !== 'POST') return proceed();
      test.remote.users.set('there', { ...call.body, id: 'there' } as never);
      isCreated = true;
    };
    const user = await test.users.create({ userName: 'orphan@x.test' });
    await eventually(() => expect(isCreated).toBe(true), PATIENT);
    await dying.stop();
    expect(await statusesOf(user.id)).toEqual(['CREATE PENDING']);
    await startWorker();
    await delivered(user.id, ['CREATE']);
    expect(test.remote.userOf(user.id)).toMatchObject([{ id: 'there' }]);
    expect(test.remote.users.size).toBe(1);
  });
});
