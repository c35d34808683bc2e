import { afterAll, expect, it } from '@jest/globals';
import { z } from 'zod';
import { createLifecycle } from '@dtplatform/lifecycle';
import { silentLogger } from '@dtplatform/logging';
import { connectMongo } from '@dtplatform/mongo';
import { defineCatalogue } from '@dtplatform/queue';
import { testEnvironment } from '@dtplatform/testing';
import { defineService, jobsOf, resource } from '../src/index.js';

const things = defineCatalogue('svc.things', { 'thing.make': z.object({}), 'thing.drop': z.object({}) });
const making = resource({ jobs: () => [jobsOf(things, { 'thing.make': async () => undefined })] });
const dropping = resource({ jobs: () => [jobsOf(things, { 'thing.drop': async () => undefined })] });
const holding = resource({ contents: () => ({ removeBatch: async () => false }) });

const log = silentLogger();
const env = testEnvironment('svc', {});
const mongo = await connectMongo({ url: env.MONGO_URL!, database: env.MONGO_DB!, appName: 'test', log });
afterAll(() => mongo.close());

function startJobs(resources: (typeof making)[]) {
  const service = defineService({ name: 'svc', title: 'Things', description: 'Has things.', resources });
  const config = { REDIS_URL: env.REDIS_URL!, SHUTDOWN_GRACE_MS: 5000 };
  return service.startJobs({
    ...{ processName: 'svc-worker', config, mongo, log },
    lifecycle: createLifecycle({ log, graceMs: 5000 }),
  });
}

it.each([
  ['that no resource handles', [making], 'No resource handles thing.drop of svc.things.'],
  ['that two resources handle', [making, dropping, making], 'Several resources handle thing.make of svc.things.'],
])('rejects the start with a message that has %s', async (_name, resources, message) => {
  await expect(startJobs(resources)).rejects.toThrow(message);
});

it('rejects the start of a service that has contents of namespaces without a queue for deleted workspaces', async () => {
  await expect(startJobs([holding])).rejects.toThrow('svc does not receive the deletions of workspaces.');
});
