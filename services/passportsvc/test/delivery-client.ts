import { afterAll, afterEach, beforeAll, beforeEach, expect } from '@jest/globals';
import { eventually } from '@dtplatform/testing';
import { startScimServer } from './scim-server.js';
import type { ScimTestServer } from './scim-server.js';
import { startApp } from './start-app.js';
import type { TestApp } from './start-app.js';
import { asApp } from './tokens.js';
import { createUserClient } from './user-client.js';

const SCIM = '/auth/realms/master/scim';
/** Longer than the lease of a crashed worker. */
export const PATIENT = { timeoutMs: 30_000 };

/** State of the tests of deliveries. */
interface DeliveryTest {
  app: TestApp;
  users: ReturnType<typeof createUserClient>;
  /** A SCIM server that receives all events; a new one for each test. */
  remote: ScimTestServer;
  serverId: string;
}

interface LogEntry {
  id: string;
  eventName: string;
  status: string;
  attempts: number;
  lastError?: string;
}

/** Starts the application for the tests of a file. Each test starts its own workers. */
export function useDeliveries() {
  const test = {} as DeliveryTest;
  let trusted: string;
  const opened: ScimTestServer[] = [];
  const workers: { stop: () => Promise<void> }[] = [];

  const api = (method: 'get' | 'post' | 'delete', path: string) => test.app.send(method, `${SCIM}${path}`, trusted);

  async function startWorker(settings: Record<string, string> = {}) {
    const worker = await test.app.startWorker(settings);
    workers.push(worker);
    return worker;
  }
  async function open(options: Parameters<typeof startScimServer>[0] = {}): Promise<ScimTestServer> {
    const server = await startScimServer(options);
    opened.push(server);
    return server;
  }
  async function listenTo(scimServerDetailId: string, events: string[]): Promise<void> {
    for (const eventName of events) {
      await api('post', '/listeners').send({ scimServerDetailId, eventName, realmId: 'iam' }).expect(201);
    }
  }
  /** Registers a server for these events. */
  async function register(registration: object, events = ['CREATE', 'UPDATE', 'DELETE']): Promise<string> {
    const id = (await api('post', '/servers').send(registration).expect(201)).body.id as string;
    await listenTo(id, events);
    return id;
  }
  /** The delivery log of a user on a server, oldest first. */
  async function logOf(userId: string, of = test.serverId): Promise<LogEntry[]> {
    const { body } = await api('get', `/deliveries?userId=${userId}&scimServerDetailId=${of}`).expect(200);
    return (body._list as LogEntry[]).reverse();
  }
  /** @param statuses such as `CREATE DELIVERED` */
  const reached = (userId: string, statuses: string[], of = test.serverId) =>
    eventually(async () => expect(await statusesOf(userId, of)).toEqual(statuses), PATIENT);
  const statusesOf = async (userId: string, of = test.serverId) =>
    (await logOf(userId, of)).map(({ eventName, status }) => `${eventName} ${status}`);

  beforeAll(async () => {
    test.app = await startApp({ EGRESS_ALLOW: '127.0.0.1' });
    trusted = await asApp(test.app);
    test.users = createUserClient(test.app, trusted);
  });
  beforeEach(async () => {
    test.remote = await open();
    test.serverId = await register(test.remote.registration);
  });
  afterEach(async () => {
    await Promise.all(workers.splice(0).map((worker) => worker.stop()));
    const { _list } = (await api('get', '/servers?_pageSize=1000')).body as { _list: { id: string }[] };
    for (const { id } of _list) await api('delete', `/servers/${id}`).expect(204);
    await Promise.all(opened.splice(0).map((server) => server.close()));
  });
  afterAll(() => test.app.stop());

  return {
    test,
    api,
    startWorker,
    open,
    listenTo,
    register,
    logOf,
    statusesOf,
    reached,
    delivered: (userId: string, events: string[], of = test.serverId) =>
      eventually(async () => {
        expect(await statusesOf(userId, of)).toEqual(events.map((event) => `${event} DELIVERED`));
      }, PATIENT),
    /** Waits for a failed attempt that will be retried. */
    failing: (userId: string, lastError: string, of = test.serverId) =>
      eventually(async () => {
        expect((await logOf(userId, of)).at(-1)).toMatchObject({ lastError, status: 'PENDING' });
      }, PATIENT),
    /** Counts records of users on servers. */
    countKnown: (filter: object) => test.app.mongo.db.collection('scim_remote_users').countDocuments(filter),
  };
}
