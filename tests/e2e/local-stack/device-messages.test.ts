import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { silentReport, type ServiceProcess, type Stack, startStack } from '@dtplatform/stack';
import { eventually } from '@dtplatform/testing';
import { enter, openWorkspace, type Person } from '../support/people.js';
import { type Reply, sendTo } from '../support/platform.js';

const MINUTES = 60_000;
const ITEMS = '/itemsvc/api/v1/nameduseritems';
const CONFIGS = '/itemsvc/api/v1/telemetryconfigs';
const BATCHES = 10;
/** Messages of one request. */
const BATCH = 500;
const NORMALIZE = `const normalize = ({ at, value }) => [{ _ts: at, _tsMetadata: { _sourceId: 'sensor' }, value }];`;

const messagesOf = (batch: number) =>
  Array.from({ length: BATCH }, (_, n) => {
    const value = batch * BATCH + n;
    return { deviceType: 'thermo', at: Date.UTC(2026, 0, 1) + value, value };
  });

/** Uses its own stack, so that faults do not affect the other tests. */
describe('messages of devices', () => {
  let stateDir: string;
  let stack: Stack;
  let user: Person;
  let namespace: string;
  let worker: ServiceProcess;

  beforeAll(async () => {
    stateDir = await mkdtemp(path.join(tmpdir(), 'dtplatform-messages-'));
    const { MONGO_URL: _mongo, REDIS_URL: _redis, S3_ENDPOINT: _s3, ...env } = process.env;
    stack = await startStack({ stateDir, report: silentReport, env });
    worker = stack.services.find(({ name }) => name === 'itemsvc-worker')!;
    user = await enter(stack.dev);
    namespace = await openWorkspace(user, stack.dev);
  }, 3 * MINUTES);
  afterAll(async () => {
    await worker.stop();
    await stack.stop();
    await rm(stateDir, { recursive: true, force: true });
  }, MINUTES);

  it(
    'become one reading each, although the worker is killed in the middle',
    async () => {
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
      worker.kill();
      await worker.exited;
      const killedAt = await total();
      worker = await worker.startAgain();
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

type Send = (method: string, path: string, json?: unknown) => Promise<Reply>;

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
