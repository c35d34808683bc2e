import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { silentReport, type ServiceProcess, type Stack, startStack } from '@dtplatform/stack';
import { eventually, seededNumbers, testSeed } from '@dtplatform/testing';
import { Redis } from 'ioredis';
import { enter, openWorkspace, type Person, trustedToken } from '../support/people.js';
import { type RouteResponse, type Request, sendTo } from '../support/platform.js';
import { randomOperations } from '../support/random-operations.js';

const MINUTES = 60_000;
const ITEMS = '/itemsvc/api/v1/nameduseritems';
const FILES = '/filesvc/api/v1/files';

/** A separate stack, whose processes are killed and whose Redis loses its data. */
let stateDir: string;
let stack: Stack;
/** The running processes by name: those of the stack, or their replacements. */
const processes = new Map<string, ServiceProcess>();
let user: Person;

beforeAll(async () => {
  stateDir = await mkdtemp(path.join(tmpdir(), 'dtplatform-killed-'));
  const { MONGO_URL: _mongo, REDIS_URL: _redis, S3_ENDPOINT: _s3, ...env } = process.env;
  stack = await startStack({ stateDir, report: silentReport, env });
  for (const one of stack.services) processes.set(one.name, one);
  user = await enter(stack.dev);
}, 3 * MINUTES);
afterAll(async () => {
  await Promise.all([...processes.values()].map((one) => one.stop()));
  await stack.stop();
  await rm(stateDir, { recursive: true, force: true });
}, MINUTES);

async function kill(name: string): Promise<void> {
  const running = processes.get(name)!;
  running.kill();
  await running.exited;
}
async function startAgain(name: string): Promise<void> {
  processes.set(name, await processes.get(name)!.startAgain());
}

const CONFIGS = '/itemsvc/api/v1/telemetryconfigs';
const BATCHES = 10;
/** Messages per request. */
const BATCH = 500;
const NORMALIZE = `const normalize = ({ at, value }) => [{ _ts: at, _tsMetadata: { _sourceId: 'sensor' }, value }];`;

const messagesOf = (batch: number) =>
  Array.from({ length: BATCH }, (_, n) => {
    const value = batch * BATCH + n;
    return { deviceType: 'thermo', at: Date.UTC(2026, 0, 1) + value, value };
  });

describe('messages of devices', () => {
  it(
    'become one reading each, although the worker is killed midway',
    async () => {
      const namespace = await openWorkspace(user, stack.dev);
      const send = (method: string, target: string, json?: unknown, query: Record<string, string> = {}) =>
        sendTo(stack.baseUrl, method, target, { token: user.token, query: { nsfilter: namespace, ...query }, json });
      const { configId, readings } = await deviceMessages(send, namespace);
      const posted = await Promise.all(
        Array.from({ length: BATCHES }, (_, batch) =>
          send('POST', `${CONFIGS}/${configId}/messages`, messagesOf(batch)),
        ),
      );
      expect(posted.map(({ status }) => status)).toEqual(posted.map(() => 202));

      const total = async () => (await send('GET', readings, undefined, { _pageSize: '1' })).body._total as number;
      await eventually(async () => expect(await total()).toBeGreaterThan(0), { timeoutMs: MINUTES, everyMs: 5 });
      await kill('itemsvc-worker');
      const killedAt = await total();
      await startAgain('itemsvc-worker');
      for (const { headers } of posted) {
        const task = await eventually(
          async () => {
            const { body } = await send('GET', headers.get('location')!);
            expect(body._status).toBe('COMPLETED');
            return body;
          },
          { timeoutMs: 2 * MINUTES },
        );
        expect(JSON.parse(task._response._body)).toEqual({ _total: BATCH, _deadLetters: 0 });
      }
      expect(killedAt).toBeLessThan(BATCHES * BATCH);
      expect(await total()).toBe(BATCHES * BATCH);
      const values = new Set<number>();
      for (let offset = 0; offset < BATCHES * BATCH; offset += BATCH) {
        const page = JSON.stringify({ _offset: offset, _pageSize: BATCH });
        const { body } = await send('GET', readings, undefined, { page });
        for (const { value } of body._list) values.add(value);
      }
      expect(values.size).toBe(BATCHES * BATCH);
    },
    5 * MINUTES,
  );
});

type Send = (method: string, path: string, json?: unknown) => Promise<RouteResponse>;

/** A telemetry collection, and a configuration that turns messages into its readings. */
async function deviceMessages(send: Send, namespace: string): Promise<{ configId: string; readings: string }> {
  const common = { _name: 'Devices', _shortName: 'devices', _description: '', _namespaces: [namespace] };
  const create = async (path: string, entry: object): Promise<{ _id: string; _userItemId: string }> => {
    const { status, body } = await send('POST', path, [entry]);
    expect([status, body]).toEqual([201, expect.anything()]);
    return body._list[0];
  };
  const collection = { ...common, _userType: 'devices', _itemClass: 'NamedTelemetryCollection' };
  const { _id, _userItemId } = await create(ITEMS, collection);
  await create(`${ITEMS}/${_id}/relateditems`, { _sourceId: 'sensor' });
  const script = { ...common, _shortName: 'normalize', _userType: 'normalize', _itemClass: 'Script' };
  await create(ITEMS, { ...script, _version: { _userData: NORMALIZE } });
  const accepted = await send('POST', CONFIGS, {
    ...{ ...common, _userType: 'devices' },
    _configData: {
      _bindings: [{ collectionDesc: { _userItemId }, query: { deviceType: 'thermo' } }],
      _normalizationScript: { _userType: 'normalize' },
    },
  });
  const configId = await eventually(async () => {
    const { body } = await send('GET', accepted.headers.get('location')!);
    expect(body._status).toBe('COMPLETED');
    return JSON.parse(body._response._body)._id as string;
  });
  return { configId, readings: `${ITEMS}/${_id}/relateditems/readings` };
}

const METRICS = '/metricsvc/api/v1';
const SEED = testSeed();
const OPERATIONS_BETWEEN_KILLS = 40;
/** Concurrent writers, each with its own numbers. */
const WRITERS = 3;

describe('usage', () => {
  let replica: ServiceProcess;

  beforeAll(async () => {
    replica = await processes.get('metricsvc-worker')!.startReplica();
  });
  afterAll(() => replica.stop());

  const send = (method: string, target: string, query: Record<string, string>, more: { json?: unknown } = {}) =>
    sendTo(stack.baseUrl, method, target, { token: user.token, query, ...more });
  const total = async (list: string, nsfilter: string, more: Record<string, string> = {}) =>
    (await send('GET', list, { nsfilter, ...more })).body._total as number;
  const metric = async (name: string, namespace: string) => {
    const { body } = await send('GET', `${METRICS}/metrics/dtplatform.${name}`, { namespace });
    return body.metrics?.[0]?.value as number | undefined;
  };

  /** The number of listed items and files. Files are listed wherever the user may read them. */
  const held = async (namespace: string) => ({
    items: await total(ITEMS, namespace),
    files: await total(FILES, namespace, { _namespaces: namespace }),
  });
  /** Their number in the metrics. */
  async function counted(namespace: string) {
    const counts = await Promise.all(ITEM_CLASSES.map((name) => metric(`itemsvc.${name}Count`, namespace)));
    const files = [await metric('filesvc.FileCount', namespace), await metric('filesvc.FileCount.graphics', namespace)];
    return { items: sumOf(counts), files: sumOf(files) };
  }

  /** metricsvc's result when it compares its counters with the services' data. */
  async function reconcile(_namespace: string) {
    const call = async (method: string, target: string, json?: unknown) =>
      sendTo(stack.baseUrl, method, `${METRICS}/reconciliations${target}`, {
        token: await trustedToken(stack.dev),
        json,
      });
    const { status, body } = await call('POST', '', { _namespace });
    expect(status).toBe(202);
    return eventually(
      async () => {
        const found = (await call('GET', `/${body._id}`)).body;
        expect(found._status).toBe('COMPLETED');
        return found;
      },
      { timeoutMs: MINUTES },
    );
  }

  it(
    `is counted exactly once by several workers, while some are killed (TEST_SEED=${SEED})`,
    async () => {
      const namespaces = [await openWorkspace(user, stack.dev), await openWorkspace(user, stack.dev)];
      const random = seededNumbers(SEED);
      const writers = Array.from({ length: WRITERS }, () =>
        randomOperations({ baseUrl: stack.baseUrl, user, namespaces, seed: random(2 ** 31) }),
      );
      const done = () => writers.reduce((sum, { count }) => sum + count(), 0);
      const writing = new AbortController();
      const running = Promise.all(writers.map((writer) => writer.run(writing.signal)));
      try {
        for (const name of ['itemsvc-worker', 'metricsvc-worker', 'filesvc-worker']) {
          const before = done();
          await eventually(() => expect(done()).toBeGreaterThan(before + OPERATIONS_BETWEEN_KILLS), {
            timeoutMs: MINUTES,
          });
          await kill(name);
          await startAgain(name);
        }
      } finally {
        writing.abort();
        await running;
      }

      for (const namespace of namespaces) {
        const listed = await held(namespace);
        expect(listed.items + listed.files).toBeGreaterThan(10);
        await eventually(async () => expect(await counted(namespace)).toEqual(listed), { timeoutMs: 2 * MINUTES });
        // Each service's recount, of every metric, version and owner.
        await eventually(
          async () => {
            const { _differences, _differing, _unsettled, _compared } = await reconcile(namespace);
            expect({ _differences, _differing, _unsettled }).toEqual({
              _differences: [],
              _differing: {},
              _unsettled: 0,
            });
            expect(_compared).toBeGreaterThan(40);
          },
          { timeoutMs: MINUTES },
        );
        expect(await metric('passportsvc.WorkspaceCount', namespace)).toBe(1);
      }
    },
    5 * MINUTES,
  );
});

const ITEM_CLASSES = [
  ...['NamedUserCollection', 'NamedFileCollection', 'NamedTelemetryCollection'],
  ...['NamedCompositeItem', 'Script', 'UserConfig'],
];

const sumOf = (counts: (number | undefined)[]) => counts.reduce<number>((sum, count) => sum + count!, 0);

const MIB = 1024 * 1024;

describe('uploads', () => {
  let namespace: string;
  const content = randomBytes(30 * MIB);
  const checksum = `sha256:${createHash('sha256').update(content).digest('hex')}`;

  beforeAll(async () => {
    namespace = await openWorkspace(user, stack.dev);
  });

  const send = (method: string, target: string, { query, ...more }: Request = {}) =>
    sendTo(stack.baseUrl, method, target, { token: user.token, query: { nsfilter: namespace, ...query }, ...more });
  const resumable = { uploadType: 'resumable', checksum };

  const begin = async (name: string) => {
    const json = { _name: name, _uploadMeta: { _size: content.length, _checksum: checksum } };
    const reply = await send('POST', FILES, { query: resumable, json });
    expect(reply.status).toBe(201);
    return reply.body._id as string;
  };
  const offsetOf = async (id: string) => {
    const reply = await send('HEAD', `${FILES}/${id}`, { query: resumable });
    expect(reply.status).toBe(200);
    return Number(reply.headers.get('upload-offset'));
  };
  const read = async (id: string) => (await send('GET', `${FILES}/${id}`)).body as { _status: string };
  const urlOf = async (id: string) =>
    (await send('GET', FILES, { query: { _ids: id, withUrl: 'true' } })).body._list[0]._url as string;

  /** Sends the beginning of the content to a process, and never the rest. */
  const sendPart = (id: string, bytes: number) => {
    const query = new URLSearchParams({ nsfilter: namespace, ...resumable });
    const url = new URL(`${FILES}/${id}?${query.toString()}`, stack.baseUrl);
    const headers = { authorization: `Bearer ${user.token}`, 'content-length': content.length };
    const patch = request(url, { method: 'PATCH', headers });
    patch.on('error', () => undefined).on('response', (response) => response.resume());
    patch.write(content.subarray(0, bytes));
    return patch;
  };
  /** Continues at the offset from HEAD until everything is stored. */
  const resume = (id: string) =>
    eventually(
      async () => {
        const offset = await offsetOf(id);
        const headers = { 'upload-offset': String(offset) };
        const reply = await send('PATCH', `${FILES}/${id}`, {
          query: resumable,
          headers,
          body: content.subarray(offset),
        });
        expect(reply).toMatchObject({ status: 200, body: { _status: 'UPLOAD_COMPLETED' } });
      },
      { timeoutMs: MINUTES },
    );
  const expectStored = async (id: string) => {
    const stored = Buffer.from(await (await fetch(await urlOf(id))).arrayBuffer());
    expect(createHash('sha256').update(stored).digest('hex')).toBe(checksum.slice('sha256:'.length));
  };
  it(
    'resume at the acknowledged offset after filesvc was killed during a PATCH',
    async () => {
      const id = await begin('killed.bin');
      const patch = sendPart(id, 20 * MIB);
      await eventually(async () => expect(await offsetOf(id)).toBe(16 * MIB), { timeoutMs: MINUTES });
      await kill('filesvc');
      patch.destroy();
      await startAgain('filesvc');
      await eventually(async () => expect(await offsetOf(id)).toBe(16 * MIB), { timeoutMs: MINUTES });
      expect((await read(id))._status).not.toBe('UPLOAD_COMPLETED');
      await resume(id);
      await expectStored(id);
    },
    2 * MINUTES,
  );

  it(
    'and removals are complete after the worker was killed twice and Redis lost its data',
    async () => {
      const kept = await begin('kept.bin');
      await resume(kept);
      const removed = await begin('removed.bin');
      await resume(removed);
      const url = await urlOf(removed);
      const unfinished = await begin('unfinished.bin');
      const patch = sendPart(unfinished, 9 * MIB);
      await eventually(async () => expect(await offsetOf(unfinished)).toBe(8 * MIB), { timeoutMs: MINUTES });

      await kill('filesvc-worker');
      patch.destroy();
      expect((await send('DELETE', `${FILES}/${removed}`)).status).toBe(204);
      await startAgain('filesvc-worker');
      await kill('filesvc-worker');
      const redis = new Redis(stack.backends.redisUrl);
      await redis.flushall();
      await redis.quit();
      expect(await offsetOf(unfinished)).toBeGreaterThanOrEqual(8 * MIB);
      await startAgain('filesvc-worker');

      await eventually(async () => expect((await fetch(url)).status).toBe(404), { timeoutMs: MINUTES });
      await resume(unfinished);
      await expectStored(unfinished);
      await expectStored(kept);
    },
    3 * MINUTES,
  );
});
