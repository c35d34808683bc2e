import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { loadConfig } from '@dtplatform/config';
import { createLifecycle } from '@dtplatform/lifecycle';
import { silentLogger } from '@dtplatform/logging';
import { connectMongo, defineSchema, requireSchema } from '@dtplatform/mongo';
import type { Migration } from '@dtplatform/mongo';
import { redisErrors } from '@dtplatform/redis';
import { eventually, startCuttableProxy, testEnvironment } from '@dtplatform/testing';
import { migrate, migrationSettings, packageVersion } from '../src/index.js';
import { recordingLogger } from './recording-logger.js';

const Config = z.object(migrationSettings);
const real = new URL(testEnvironment('service').MONGO_URL!);
const proxy = await startCuttableProxy(real);
const throughProxy = `mongodb://127.0.0.1:${proxy.port}/?directConnection=true`;
afterAll(() => proxy.close());
beforeEach(() => proxy.mend());

/** Migrates like a separate process. */
function run(
  environment: Record<string, string> = {},
  options: Parameters<typeof migrate>[3] = {},
  migrations: Migration[] = [],
) {
  const { log, lines } = recordingLogger();
  const lifecycle = createLifecycle({ log: silentLogger(), graceMs: 5000 });
  const config = loadConfig(Config, testEnvironment('service', environment));
  const schema = defineSchema({ models: [], migrations });
  const context = { processName: 'svc', log, lifecycle };
  const done = migrate({ name: 'svc', schema, version: '1.0.0' }, config, context, options);
  done.catch(() => undefined);
  return { done, lifecycle, config, schema, lines };
}

/** The content of a run's database. */
async function look<T>(
  { config }: ReturnType<typeof run>,
  work: (mongo: Awaited<ReturnType<typeof connectMongo>>) => Promise<T>,
) {
  const url = testEnvironment('service').MONGO_URL!;
  const mongo = await connectMongo({ url, database: config.MONGO_DB, appName: 'test', log: silentLogger() });
  try {
    return await work(mongo);
  } finally {
    await mongo.db.dropDatabase();
    await mongo.close();
  }
}

describe('a migration without its backends', () => {
  it('fails after its time limit with one clear message', async () => {
    const { done, lifecycle, lines } = run({ MONGO_URL: 'mongodb://127.0.0.1:9/', MIGRATION_WAIT_MS: '1500' });
    await expect(done).rejects.toThrow(/^The backends were not available within 1.5 s: .*ECONNREFUSED/);
    expect(lines.filter(({ msg }) => msg === 'waiting for the backends')).toHaveLength(1);
    await lifecycle.stop('the test is over');
  });

  it('waits for MongoDB, continues once it is available, and ends its process', async () => {
    proxy.cut();
    const running = run({ MONGO_URL: throughProxy });
    await eventually(() => expect(running.lines.map(({ msg }) => msg)).toContain('waiting for the backends'));
    proxy.mend();
    await running.done;
    expect(running.lifecycle.stopping).toBe(true);
    await look(running, (mongo) => requireSchema(mongo, running.schema));
  });

  it('waits for other backends if their errors mean that they are unavailable', async () => {
    let asked = 0;
    const more = async () => {
      asked += 1;
      if (asked === 1) throw Object.assign(new Error('no queue yet'), { code: 'ECONNREFUSED' });
    };
    const running = run({}, { more, errorMappers: [redisErrors] });
    await running.done;
    expect(asked).toBe(2);
    expect(running.lines).toContainEqual(
      expect.objectContaining({ msg: 'waiting for the backends', reason: 'no queue yet' }),
    );
    await look(running, (mongo) => requireSchema(mongo, running.schema));
  });

  it('fails at once on any other error', async () => {
    const running = run({}, { more: () => Promise.reject(new Error('a mistake')) });
    await expect(running.done).rejects.toThrow('a mistake');
    await running.lifecycle.stop('the test is over');
    await look(running, (mongo) => expect(requireSchema(mongo, running.schema)).rejects.toThrow());
  });

  it('fails when it is stopped while it waits', async () => {
    const { done, lifecycle, lines } = run({ MONGO_URL: 'mongodb://127.0.0.1:9/' });
    await eventually(() => expect(lines.map(({ msg }) => msg)).toContain('waiting for the backends'));
    await lifecycle.stop('SIGTERM');
    await expect(done).rejects.toThrow('The migration was stopped before its end.');
  });

  it('fails when it is stopped while it works', async () => {
    let begin: () => void = () => undefined;
    const begun = new Promise<void>((resolve) => (begin = resolve));
    const untilStopped: Migration = {
      id: '0001-long',
      up: async (_db, signal) => {
        begin();
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        signal.throwIfAborted();
      },
    };
    const running = run({}, {}, [untilStopped]);
    await begun;
    await running.lifecycle.stop('SIGTERM');
    await expect(running.done).rejects.toThrow('The migration was stopped before its end.');
    await look(running, (mongo) => expect(requireSchema(mongo, running.schema)).rejects.toThrow());
  });
});

it('uses the version of the package', () => {
  expect(packageVersion(import.meta.url)).toMatch(/^\d+\.\d+\.\d+/);
});
