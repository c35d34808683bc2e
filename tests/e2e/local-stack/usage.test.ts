import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { silentReport, type ServiceProcess, type Stack, startStack } from '@dtplatform/stack';
import { eventually } from '@dtplatform/testing';
import { Redis } from 'ioredis';
import { enter, openWorkspace, type Person } from '../support/people.js';
import { sendTo, type Reply } from '../support/platform.js';

const MINUTES = 60_000;
const ITEMS = '/itemsvc/api/v1/nameduseritems';
const FILES = '/filesvc/api/v1/files';

/** Uses its own stack, so that faults do not affect the other tests. */
describe('usage', () => {
  let stateDir: string;
  let stack: Stack;
  let user: Person;
  let namespace: string;
  const workers = new Map<string, ServiceProcess>();

  beforeAll(async () => {
    stateDir = await mkdtemp(path.join(tmpdir(), 'dtplatform-usage-'));
    const { MONGO_URL: _mongo, REDIS_URL: _redis, S3_ENDPOINT: _s3, ...env } = process.env;
    stack = await startStack({ stateDir, report: silentReport, env });
    for (const one of stack.services) workers.set(one.name, one);
    user = await enter(stack.dev);
    namespace = await openWorkspace(user, stack.dev);
  }, 3 * MINUTES);
  afterAll(async () => {
    await Promise.all([...workers.values()].map((worker) => worker.stop()));
    await stack.stop();
    await rm(stateDir, { recursive: true, force: true });
  }, MINUTES);

  const send = (method: string, target: string, more: { json?: unknown; body?: FormData; query?: object } = {}) => {
    const { query, ...rest } = more;
    const options = { token: user.token, query: { nsfilter: namespace, ...query }, ...rest };
    return sendTo(stack.baseUrl, method, target, options);
  };
  const createItem = async (): Promise<string | undefined> => {
    const _shortName = `u_${randomBytes(6).toString('hex')}`;
    const item = { _name: 'U', _shortName, _description: '', _namespaces: [namespace], _userType: 'u' };
    const { body }: Reply = await send('POST', ITEMS, { json: [{ ...item, _itemClass: 'NamedUserCollection' }] });
    return body._list?.[0]?._id;
  };
  const createFile = () => {
    const body = new FormData();
    body.set('_namespaces', namespace);
    body.set('file', new Blob(['hello']), `${randomBytes(6).toString('hex')}.txt`);
    return send('POST', FILES, { body });
  };
  const total = async (list: string) => (await send('GET', list)).body._total as number;
  const metric = async (name: string) => {
    const { body } = await send('GET', `/metricsvc/api/v1/metrics/${name}`, { query: { namespace } });
    return body.metrics?.[0]?.value as number | undefined;
  };
  /** Kills a worker in the middle of its work, and starts it again. */
  const replace = async (name: string) => {
    const worker = workers.get(name)!;
    worker.kill();
    await worker.exited;
    workers.set(name, await worker.startAgain());
  };

  it(
    'is counted exactly once, while Redis is emptied and workers are killed',
    async () => {
      let isWriting = true;
      let written = 0;
      // Some requests fail while Redis recovers. What counts is what the lists say in the end.
      const write = async () => {
        for (; isWriting; written++) {
          const id = await createItem();
          if (written % 3 === 0 && id !== undefined) await send('DELETE', `${ITEMS}/${id}`);
          if (written % 5 === 0) await createFile();
        }
      };
      const redis = new Redis(stack.backends.redisUrl);
      const writing = Promise.all([write(), write(), write()]);
      try {
        for (const name of ['itemsvc-worker', 'metricsvc-worker', 'filesvc-worker', 'metricsvc-worker']) {
          const before = written;
          await eventually(() => expect(written).toBeGreaterThan(before + 20), { timeoutMs: MINUTES });
          await redis.flushall();
          await eventually(() => expect(written).toBeGreaterThan(before + 40), { timeoutMs: MINUTES });
          await replace(name);
        }
        await redis.flushall();
      } finally {
        isWriting = false;
        await writing;
        redis.disconnect();
      }

      const [items, files] = [await total(ITEMS), await total(FILES)];
      expect(items).toBeGreaterThan(20);
      const expected = { items, files };
      await eventually(
        async () => {
          const counted = {
            items: await metric('dtplatform.itemsvc.NamedUserCollectionCount'),
            files: await metric('dtplatform.filesvc.FileCount'),
          };
          expect(counted).toEqual(expected);
        },
        { timeoutMs: 4 * MINUTES, everyMs: 1_000 },
      );
      expect({ items: await total(ITEMS), files: await total(FILES) }).toEqual(expected);
    },
    8 * MINUTES,
  );
});
