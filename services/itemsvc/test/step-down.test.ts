import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { silentReport, startBackends } from '@dtplatform/stack';
import type { Backends } from '@dtplatform/stack';
import { eventually } from '@dtplatform/testing';
import { doors, itemClient, NS } from './item-client.js';
import { startApp } from './start-app.js';
import type { TestApp } from './start-app.js';

const ROUNDS = 12;

interface Entry {
  _id: string;
  _name: string;
  _version: number;
}

let dataDir: string;
let backends: Backends;
let app: TestApp;
let owner: { authorization: string };
const { send, createOne } = itemClient(() => ({ app, owner }));

/** On a MongoDB of its own: the others' tests must not lose their primary. */
beforeAll(async () => {
  dataDir = await mkdtemp(path.join(tmpdir(), 'dtplatform-test-'));
  backends = await startBackends({ dataDir, report: silentReport, env: { ...process.env, MONGO_URL: '' } });
  app = await startApp({ MONGO_URL: backends.mongoUrl });
  owner = await app.caller('olga', NS);
}, 120_000);
afterAll(async () => {
  await app.stop();
  await backends.stop();
  await rm(dataDir, { recursive: true, force: true });
});

it('acknowledged writes are there, and all others got a 503, when the primary steps down in the middle', async () => {
  const item = await createOne();
  const statuses: number[] = [];
  const acknowledged = { versions: [] as Entry[], rows: [] as Entry[], groups: [] as string[] };

  /** As a client that tries again while the platform is unavailable. */
  const write = (path: string, body: object, query: object = {}) =>
    eventually(
      async () => {
        const response = await send('post', path, query).send(body);
        statuses.push(response.status);
        expect(response.status).not.toBe(503);
        return response.body;
      },
      { timeoutMs: 60_000, everyMs: 200 },
    );
  const rounds = Array.from({ length: ROUNDS }, (_, round) => round);
  const versions = rounds.map(async () => {
    acknowledged.versions.push(await write(`/${item._id}/versions`, {}));
  });
  const rows = rounds.map(async (n) => {
    const response = await write(`/${item._id}/relateditems`, [{ n }], { userItemVersionId: item._tipId });
    acknowledged.rows.push(...response._list);
  });
  const groups = rounds.map(async (round) => {
    const _name = `group ${round}`;
    await write('', [doors({ _name }), doors({ _name })], { transactional: true });
    acknowledged.groups.push(_name);
  });
  const stepDown = { replSetStepDown: 2, secondaryCatchUpPeriodSecs: 0, force: true };
  await Promise.all([...versions, ...rows, ...groups, app.mongo.db.admin().command(stepDown)]);

  expect(statuses.filter((status) => ![201, 503].includes(status))).toEqual([]);
  const all = async (path: string, query: object = {}): Promise<Entry[]> =>
    (await send('get', path, { _pageSize: 1000, ...query }).expect(200)).body._list;
  const ids = (entries: Entry[]) => entries.map(({ _id }) => _id);

  const stored = await all(`/${item._id}/versions`);
  expect(ids(stored)).toEqual(expect.arrayContaining(ids(acknowledged.versions)));
  expect(stored.map(({ _version }) => _version)).toEqual(stored.map((_, place) => stored.length - place));
  const ofItem = await all(`/${item._id}/relateditems`, { userItemVersionId: item._tipId });
  expect(ids(ofItem)).toEqual(expect.arrayContaining(ids(acknowledged.rows)));
  // A write whose outcome was unknown may have been made twice, but never in part.
  const names = (await all('')).map(({ _name }) => _name);
  for (const name of acknowledged.groups) {
    const count = names.filter((one) => one === name).length;
    expect([name, count > 0, count % 2]).toEqual([name, true, 0]);
  }
}, 120_000);
