import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll } from '@jest/globals';
import { silentReport, startStack } from '@dtplatform/stack';
import { startOtlpCollector } from '@dtplatform/testing';
import { testDemo } from './demo.js';
import { testFaults } from './faults.js';
import { testFollowingACall } from './follow-a-call.js';
import type { OwnStack } from './own-stack.js';
import { testReplicas } from './replicas.js';

const MINUTES = 60_000;
const own = {} as OwnStack;

beforeAll(async () => {
  own.collector = await startOtlpCollector();
  own.stateDir = await mkdtemp(path.join(tmpdir(), 'dtplatform-own-stack-'));
  const { MONGO_URL: _mongo, REDIS_URL: _redis, S3_ENDPOINT: _s3, ...env } = process.env;
  const tracing = { ...own.collector.env, OTEL_BSP_SCHEDULE_DELAY: '200' };
  own.stack = await startStack({ stateDir: own.stateDir, report: silentReport, env: { ...env, ...tracing } });
}, 3 * MINUTES);
afterAll(async () => {
  await own.stack.stop();
  await own.collector.close();
  await rm(own.stateDir, { recursive: true, force: true });
}, MINUTES);

// One stack for all: each costs half a minute.
testFollowingACall(own);
testDemo(own);
testReplicas(own);
testFaults(own);
