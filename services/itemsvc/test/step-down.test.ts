import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, it } from '@jest/globals';
import { silentReport, startBackends } from '@dtplatform/stack';
import { eventually } from '@dtplatform/testing';
import { doors, itemClient } from './item-client.js';
import { NS, startApp } from './start-app.js';

const ROUNDS = 12;

type Entry = { _id: string; _name: string; _version: number };

// Its own MongoDB, so that the primary of other tests does not step down.
const dataDir = await mkdtemp(path.join(tmpdir(), 'dtplatform-test-'));
const backends = await startBackends({ dataDir, report: silentReport, env: { ...process.env, MONGO_URL: '' } });
const app = await startApp({ MONGO_URL: backends.mongoUrl });
const owner = await app.caller('olga', NS);
const { send, createOne } = itemClient({ app, owner });
afterAll(async () => {
  await app.stop();
  await backends.stop();
  await rm(dataDir, { recursive: true, force: true });
});

it('keeps acknowledged writes and responds 503 to the others while the primary steps down', async () => {
  const item = await createOne();
  const statuses: number[] = [];
  const acknowledged = { versions: [] as Entry[], rows: [] as Entry[], groups: [] as string[] };

  /** Retries while the platform is unavailable. */
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
  // A write of unknown outcome may be stored twice, but never in part.
  const names = (await all('')).map(({ _name }) => _name);
  for (const name of acknowledged.groups) {
    const count = names.filter((one) => one === name).length;
    expect([name, count > 0, count % 2]).toEqual([name, true, 0]);
  }
}, 120_000);
