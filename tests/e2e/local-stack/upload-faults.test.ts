import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SERVICES, silentReport, type ServiceProcess, type Stack, startStack } from '@dtplatform/stack';
import { eventually } from '@dtplatform/testing';
import { Redis } from 'ioredis';
import { enter, openWorkspace, type Person } from '../support/people.js';
import { type Request, sendTo } from '../support/platform.js';

const MINUTES = 60_000;
const MIB = 1024 * 1024;
const FILES = '/filesvc/api/v1/files';
const NEEDED = ['passportsvc', 'objectmodelsvc', 'itemsvc', 'filesvc'];

/** Processes that are killed without a chance to clean up, and a Redis that loses everything. */
describe('uploads', () => {
  let stateDir: string;
  let stack: Stack;
  let user: Person;
  let namespace: string;
  const started: ServiceProcess[] = [];
  const content = randomBytes(30 * MIB);
  const checksum = `sha256:${createHash('sha256').update(content).digest('hex')}`;

  beforeAll(async () => {
    stateDir = await mkdtemp(path.join(tmpdir(), 'dtplatform-upload-faults-'));
    const { MONGO_URL: _mongo, REDIS_URL: _redis, S3_ENDPOINT: _s3, ...env } = process.env;
    const services = SERVICES.filter(({ name }) => NEEDED.includes(name));
    stack = await startStack({ stateDir, report: silentReport, env, services });
    user = await enter(stack.dev);
    namespace = await openWorkspace(user, stack.dev);
  }, 3 * MINUTES);
  afterAll(async () => {
    await Promise.all(started.map((process) => process.stop()));
    await stack.stop();
    await rm(stateDir, { recursive: true, force: true });
  }, MINUTES);

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

  /** Sends the beginning of the content to a process, and the rest never. */
  const sendPart = (id: string, bytes: number) => {
    const query = new URLSearchParams({ nsfilter: namespace, ...resumable });
    const url = new URL(`${FILES}/${id}?${query.toString()}`, stack.baseUrl);
    const headers = { authorization: `Bearer ${user.token}`, 'content-length': content.length };
    const patch = request(url, { method: 'PATCH', headers });
    patch.on('error', () => undefined).on('response', (response) => response.resume());
    patch.write(content.subarray(0, bytes));
    return patch;
  };
  /** Continues at the offset that HEAD tells, until everything is stored. */
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
  const kill = async (process: ServiceProcess) => {
    process.kill();
    await process.exited;
  };
  const startAgain = async (process: ServiceProcess) => {
    const next = await process.startAgain();
    started.push(next);
    return next;
  };

  it(
    'continue where they were acknowledged after filesvc was killed within a PATCH',
    async () => {
      let filesvc = stack.services.find(({ name }) => name === 'filesvc')!;
      const id = await begin('killed.bin');
      const patch = sendPart(id, 20 * MIB);
      await eventually(async () => expect(await offsetOf(id)).toBe(16 * MIB), { timeoutMs: MINUTES });
      await kill(filesvc);
      patch.destroy();
      filesvc = await startAgain(filesvc);
      await eventually(async () => expect(await offsetOf(id)).toBe(16 * MIB), { timeoutMs: MINUTES });
      expect((await read(id))._status).not.toBe('UPLOAD_COMPLETED');
      await resume(id);
      await expectStored(id);
    },
    2 * MINUTES,
  );

  it(
    'and removals are as they should be after the worker was killed twice and Redis has lost everything',
    async () => {
      let worker = stack.services.find(({ name }) => name === 'filesvc-worker')!;
      const kept = await begin('kept.bin');
      await resume(kept);
      const removed = await begin('removed.bin');
      await resume(removed);
      const url = await urlOf(removed);
      const unfinished = await begin('unfinished.bin');
      const patch = sendPart(unfinished, 9 * MIB);
      await eventually(async () => expect(await offsetOf(unfinished)).toBe(8 * MIB), { timeoutMs: MINUTES });

      await kill(worker);
      patch.destroy();
      expect((await send('DELETE', `${FILES}/${removed}`)).status).toBe(204);
      worker = await startAgain(worker);
      await kill(worker);
      const redis = new Redis(stack.backends.redisUrl);
      await redis.flushall();
      await redis.quit();
      expect(await offsetOf(unfinished)).toBeGreaterThanOrEqual(8 * MIB);
      worker = await startAgain(worker);

      await eventually(async () => expect((await fetch(url)).status).toBe(404), { timeoutMs: MINUTES });
      await resume(unfinished);
      await expectStored(unfinished);
      await expectStored(kept);
    },
    3 * MINUTES,
  );
});
