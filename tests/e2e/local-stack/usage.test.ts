import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { silentReport, type ServiceProcess, type Stack, startStack } from '@dtplatform/stack';
import { eventually, seededNumbers, testSeed } from '@dtplatform/testing';
import { Redis } from 'ioredis';
import { enter, openWorkspace, type Person, trustedToken } from '../support/people.js';
import { sendTo } from '../support/platform.js';
import { randomOperations } from '../support/random-operations.js';

const MINUTES = 60_000;
const ITEMS = '/itemsvc/api/v1/nameduseritems';
const FILES = '/filesvc/api/v1/files';
const METRICS = '/metricsvc/api/v1';
const SEED = testSeed();
const OPERATIONS_BETWEEN_KILLS = 40;
/** Those at the same time, each with numbers of its own. */
const WRITERS = 3;

/** Uses its own stack, so that faults do not affect the other tests. */
describe('usage', () => {
  let stateDir: string;
  let stack: Stack;
  let user: Person;
  let trusted: string;
  /** Where Redis loses messages. */
  let lossy: string;
  const workers = new Map<string, ServiceProcess>();
  const replicas: ServiceProcess[] = [];

  beforeAll(async () => {
    stateDir = await mkdtemp(path.join(tmpdir(), 'dtplatform-usage-'));
    const { MONGO_URL: _mongo, REDIS_URL: _redis, S3_ENDPOINT: _s3, ...env } = process.env;
    stack = await startStack({ stateDir, report: silentReport, env });
    for (const one of stack.services) workers.set(one.name, one);
    replicas.push(await workers.get('metricsvc-worker')!.startReplica());
    user = await enter(stack.dev);
    trusted = await trustedToken(stack.dev);
    lossy = await openWorkspace(user, stack.dev);
    await loseMessages();
  }, 3 * MINUTES);
  afterAll(async () => {
    await Promise.all([...workers.values(), ...replicas].map((worker) => worker.stop()));
    await stack.stop();
    await rm(stateDir, { recursive: true, force: true });
  }, MINUTES);

  const send = (method: string, target: string, query: Record<string, string>, more: { json?: unknown } = {}) =>
    sendTo(stack.baseUrl, method, target, { token: user.token, query, ...more });
  const total = async (list: string, nsfilter: string, more: Record<string, string> = {}) =>
    (await send('GET', list, { nsfilter, ...more })).body._total as number;
  const metric = async (name: string, namespace: string) => {
    const { body } = await send('GET', `${METRICS}/metrics/dtplatform.${name}`, { namespace });
    return body.metrics?.[0]?.value as number | undefined;
  };

  /** Redis is emptied while messages are on their way. They are sent again a minute later. */
  async function loseMessages(): Promise<void> {
    const operations = randomOperations({ baseUrl: stack.baseUrl, user, namespaces: [lossy], seed: SEED });
    const redis = new Redis(stack.backends.redisUrl);
    for (let n = 0; n < 3; n++) {
      await Promise.all([operations.createItem(), operations.createItem(), operations.createFile()]);
      await redis.flushall();
    }
    redis.disconnect();
  }

  /** How many items and files the lists show. Files are listed wherever the user may read them. */
  const held = async (namespace: string) => ({
    items: await total(ITEMS, namespace),
    files: await total(FILES, namespace, { _namespaces: namespace }),
  });
  /** How many of them the metrics count. */
  async function counted(namespace: string) {
    const counts = await Promise.all(ITEM_CLASSES.map((name) => metric(`itemsvc.${name}Count`, namespace)));
    const files = [await metric('filesvc.FileCount', namespace), await metric('filesvc.FileCount.graphics', namespace)];
    return { items: sumOf(counts), files: sumOf(files) };
  }

  /** Kills a worker in the middle of its work, and starts it again. */
  const replace = async (name: string) => {
    const worker = workers.get(name)!;
    worker.kill();
    await worker.exited;
    workers.set(name, await worker.startAgain());
  };

  /** What metricsvc finds when it compares its counters with what services hold. */
  async function reconcile(_namespace: string) {
    const call = (method: string, target: string, json?: unknown) =>
      sendTo(stack.baseUrl, method, `${METRICS}/reconciliations${target}`, { token: trusted, json });
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
          await replace(name);
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

  it(
    'counts messages that Redis has lost',
    async () => {
      const listed = await held(lossy);
      // Some requests fail while Redis recovers.
      expect(listed.items).toBeGreaterThan(0);
      await eventually(async () => expect(await counted(lossy)).toEqual(listed), {
        timeoutMs: 4 * MINUTES,
        everyMs: 500,
      });
      expect(await reconcile(lossy)).toMatchObject({ _differing: {}, _unsettled: 0 });
    },
    5 * MINUTES,
  );
});

const ITEM_CLASSES = [
  ...['NamedUserCollection', 'NamedFileCollection', 'NamedTelemetryCollection'],
  ...['NamedCompositeItem', 'Script', 'UserConfig'],
];

const sumOf = (counts: (number | undefined)[]) => counts.reduce<number>((sum, count) => sum + count!, 0);
