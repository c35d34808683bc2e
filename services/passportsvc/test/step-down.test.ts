import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { silentReport, startBackends } from '@dtplatform/stack';
import type { Backends } from '@dtplatform/stack';
import { eventually } from '@dtplatform/testing';
import { createBrowser } from './browser.js';
import { startApp } from './start-app.js';
import type { TestApp } from './start-app.js';
import { codeFor, redeem, refreshWith } from './tokens.js';

const CODES = 12;

let dataDir: string;
let backends: Backends;
let app: TestApp;

/** Uses its own MongoDB: other tests must not lose their primary. */
beforeAll(async () => {
  dataDir = await mkdtemp(path.join(tmpdir(), 'dtplatform-test-'));
  backends = await startBackends({ dataDir, report: silentReport, env: { ...process.env, MONGO_URL: '' } });
  app = await startApp({ MONGO_URL: backends.mongoUrl });
}, 120_000);
afterAll(async () => {
  await app.stop();
  await backends.stop();
  await rm(dataDir, { recursive: true, force: true });
});

it('redeems codes at most once, without a 500, while the primary steps down', async () => {
  const browser = createBrowser();
  const codes: string[] = [];
  for (let n = 0; n < CODES; n++) codes.push(await codeFor(app, {}, browser));
  const statuses: number[] = [];

  /** Retries while the platform is unavailable, as a client would. */
  const exchange = (code: string) =>
    eventually(
      async () => {
        const response = await redeem(app, code, {}, app.trusted);
        statuses.push(response.status);
        expect(response.status).not.toBe(503);
        return response;
      },
      { timeoutMs: 60_000, everyMs: 200 },
    );
  const stepDown = { replSetStepDown: 2, secondaryCatchUpPeriodSecs: 0, force: true };
  const [replies] = await Promise.all([Promise.all(codes.map(exchange)), app.mongo.db.admin().command(stepDown)]);

  expect(statuses.filter((status) => ![200, 403, 503].includes(status))).toEqual([]);
  const accepted = replies.filter(({ status }) => status === 200);
  expect(new Set(accepted.map(({ body }) => body.jti as string)).size).toBe(accepted.length);
  expect(accepted.length).toBeLessThanOrEqual(CODES);
  // All codes are used, so every further attempt fails and ends its authorization.
  for (const code of codes) expect((await redeem(app, code, {}, app.trusted)).status).toBe(403);
  for (const { body } of accepted) await refreshWith(app, body.refresh_token).expect(403);
}, 120_000);
