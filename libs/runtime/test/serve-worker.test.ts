import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import supertest from 'supertest';
import { z } from 'zod';
import { loadConfig } from '@dtplatform/config';
import { createLifecycle } from '@dtplatform/lifecycle';
import type { Lifecycle } from '@dtplatform/lifecycle';
import { silentLogger } from '@dtplatform/logging';
import { defineSchema, migrateDatabase } from '@dtplatform/mongo';
import { eventually, testEnvironment } from '@dtplatform/testing';
import { openDatabase, serveWorker, serviceSettings } from '../src/index.js';
import type { Jobs } from '../src/index.js';
import { recordingLogger } from './recording-logger.js';

const schema = defineSchema({ models: [], migrations: [] });
let lifecycle: Lifecycle;
let recording: ReturnType<typeof recordingLogger>;
let isAway: boolean;
beforeEach(() => {
  isAway = false;
  recording = recordingLogger();
  lifecycle = createLifecycle({ log: silentLogger(), graceMs: 5000 });
});
afterEach(() => lifecycle.stop('the test is over'));

const unlessAway = async <T>(value: T): Promise<T> => {
  if (isAway) throw new Error('away');
  return value;
};
const runs = { messages: ['make'], outcomes: ['done'], onRun: () => undefined, isConnected: () => true };
const jobs: Jobs = {
  workers: [
    {
      ...runs,
      queue: 'svc.things',
      ping: () => unlessAway('PONG'),
      counts: () => unlessAway({ waiting: 3, active: 1 }),
    },
    { ...runs, queue: 'svc.others', ping: async () => 'PONG', counts: async () => ({ waiting: 0 }) },
  ],
  relay: {
    healthy: () => !isAway,
    backlog: () => unlessAway({ messages: 2, oldestAgeSec: 1.5, unprocessed: 5, failed: 1 }),
  },
};

const messages = () => recording.lines.map(({ msg }) => msg);

/** A worker with a separate database that is not migrated yet. */
async function start(startJobs: () => Promise<Jobs> = async () => jobs) {
  const { log } = recording;
  const config = loadConfig(z.object(serviceSettings), testEnvironment('service'));
  const { mongo, checks } = await openDatabase({ name: 'svc', schema }, config, { processName: 'svc', log, lifecycle });
  let started = 0;
  const running = serveWorker({
    processName: 'svc-worker',
    config,
    checks,
    log,
    lifecycle,
    startJobs: () => {
      started += 1;
      return startJobs();
    },
  });
  running.catch(() => undefined);
  await eventually(() => expect(messages()).toContain('listening'));
  lifecycle.onStop('database', () => mongo.db.dropDatabase());
  return {
    admin: supertest(recording.urlOf('adminPort')),
    running,
    started: () => started,
    migrateNow: () => {
      const { signal } = new AbortController();
      return migrateDatabase(mongo, schema, { version: 'test', log, signal });
    },
  };
}

describe('a worker whose database is not migrated', () => {
  it('stays alive but not ready and starts no jobs; once the database is migrated, it starts them and is ready', async () => {
    const worker = await start();
    await worker.admin.get('/livez').expect(200);
    const waiting = await worker.admin.get('/readyz').expect(503);
    expect(waiting.body.checks).toEqual({ mongodb: 'ok', migrations: 'failing', jobs: 'failing' });
    await eventually(() => expect(messages()).toContain('waiting for the migration'));
    expect(worker.started()).toBe(0);

    await worker.migrateNow();
    await worker.running;
    expect(worker.started()).toBe(1);
    const ready = await worker.admin.get('/readyz').expect(200);
    expect(ready.body.checks).toEqual({ mongodb: 'ok', migrations: 'ok', queues: 'ok', relay: 'ok' });
  });

  it('stops immediately when asked to, without having started its jobs', async () => {
    const worker = await start();
    await eventually(() => expect(messages()).toContain('waiting for the migration'));
    await lifecycle.stop('SIGTERM');
    await worker.running;
    expect(worker.started()).toBe(0);
  });
});

it('a worker whose jobs cannot be started fails', async () => {
  const worker = await start(() => Promise.reject(new Error('no handler')));
  await worker.migrateNow();
  await expect(worker.running).rejects.toThrow('no handler');
});

it('the metrics of a worker report the pending work, except while its backend is unavailable', async () => {
  const { admin, migrateNow, running } = await start();
  await migrateNow();
  await running;
  const figures = async () => {
    const { text } = await admin.get('/metrics').expect(200);
    expect(text).toContain('process_cpu_seconds_total');
    return text.split('\n').filter((line) => /^(queue_jobs|outbox_)/.test(line));
  };
  const pending = [
    'queue_jobs{queue="svc.things",state="waiting"} 3',
    'queue_jobs{queue="svc.things",state="active"} 1',
    'queue_jobs{queue="svc.others",state="waiting"} 0',
    'outbox_messages 2',
    'outbox_oldest_age_seconds 1.5',
    'outbox_unprocessed_messages 5',
    'outbox_failed_messages 1',
  ];
  expect(await figures()).toEqual(pending);
  isAway = true;
  expect(await figures()).toEqual([]);
  const ready = await admin.get('/readyz').expect(503);
  expect(ready.body.checks).toMatchObject({ queues: 'failing', relay: 'failing' });
  isAway = false;
  expect(await figures()).toEqual(pending);
});
