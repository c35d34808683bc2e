import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@dtplatform/testing';
import { doors, itemClient, ITEMS, NS } from './item-client.js';
import { startApp } from './start-app.js';
import type { TestApp } from './start-app.js';

/** What the database says of an operation that it has executed. */
interface Profile {
  ns: string;
  planSummary?: string;
  docsExamined?: number;
}

const ITEM_COUNT = 600;
const ROWS = 1000;
const PROFILED = { $regex: '[.](items|item_versions|related_items)$' };
/** Examined documents of a list with one page of matches: the page, and the count of its total. */
const FEW = 60;

let app: TestApp;
let owner: { authorization: string };
let rows: { _id: string; _tipId: string };
let files: { _id: string; _tipId: string };
const client = itemClient(() => ({ app, owner }));
const fileIds = Array.from({ length: ROWS }, () => randomBytes(12).toString('hex'));

const send = (method: 'get' | 'post', path: string, query: object = {}) =>
  app.api[method](`${ITEMS}${path}`)
    .query({ nsfilter: NS, ...query })
    .set(owner);
const list = (path: string, parameters: Record<string, unknown>, query: object = {}) =>
  send('get', path, {
    ...Object.fromEntries(Object.entries(parameters).map(([name, json]) => [name, JSON.stringify(json)])),
    ...query,
  }).expect(200);

/** What the database did for a call in the collections of items, versions and related items. */
async function profiled(call: () => Promise<unknown>): Promise<Profile[]> {
  const { db } = app.mongo;
  await db.command({ profile: 2, filter: { ns: PROFILED } });
  await call();
  await db.command({ profile: 0 });
  // The database sometimes records others in spite of its filter.
  const found = await db.collection('system.profile').find({ ns: PROFILED }).toArray();
  await db.collection('system.profile').drop();
  return found as unknown as Profile[];
}
async function expectFew(path: string, parameters: Record<string, unknown>, query: object = {}, few = FEW) {
  const profiles = await profiled(() => list(path, parameters, query));
  expect(profiles.length).toBeGreaterThan(0);
  for (const { planSummary, docsExamined, ns } of profiles) {
    expect([parameters, ns, planSummary]).not.toContain('COLLSCAN');
    expect([parameters, ns, planSummary, docsExamined! <= few || docsExamined]).toContain(true);
  }
}

beforeAll(async () => {
  app = await startApp();
  owner = await app.caller('olga', NS);
  await app.startWorker();
  const items = Array.from({ length: ITEM_COUNT }, (_, n) =>
    doors({
      _name: `Door ${String(n).padStart(4, '0')}`,
      _userType: `type ${n % 30}`,
      _itemClass: n % 30 === 0 ? 'UserConfig' : 'NamedUserCollection',
      _version: { _userAttributes: { floor: n % 40, code: `c${n}` }, _userData: {} },
    }),
  );
  await client.create(items).expect(201);
  rows = await client.createOne({ _userType: 'rows' });
  files = await client.createOne({ _userType: 'files', _itemClass: 'NamedFileCollection' });
  fileIds.forEach((id) => app.files.known.add(id));
  await send('post', `/${files._id}/relateditems`)
    .send(fileIds.map((_fileId) => ({ _fileId })))
    .expect(201);
  const indexes = [{ key: { kind: 1 } }, { key: { 'size.height': -1 } }, { key: { title: 'text' } }];
  await send('post', `/${rows._id}/indexes`).send(indexes).expect(201);
  const row = (n: number) => ({ n, kind: `kind ${n % 50}`, size: { height: n }, title: `Row number${n}` });
  for (const first of [0, ROWS]) {
    await send('post', `/${rows._id}/relateditems`)
      .send(Array.from({ length: ROWS }, (_, n) => row(first + n)))
      .expect(201);
  }
  await eventually(async () => {
    const { body } = await send('get', `/${rows._id}/indexes`).expect(200);
    expect(body._list.map(({ _status }: { _status: string }) => _status)).toEqual(['READY', 'READY', 'READY']);
  });
  for (let n = 0; n < 5; n++) await send('post', `/${files._id}/versions`).send({}).expect(201);
}, 60_000);
afterAll(() => app.stop());

describe('lists of items examine few documents', () => {
  const page = { _pageSize: 25 };
  it.each<[Record<string, unknown>]>([
    [{}],
    [{ query: { _id: 'f'.repeat(24) } }],
    [{ query: { _userItemId: 'none' } }],
    [{ query: { _userType: 'type 3' } }],
    [{ query: { _itemClass: 'UserConfig' } }],
    [{ query: { _name: 'Door 0007' } }],
    [{ query: { _name: { $regex: '^Door 000' } } }],
    [{ query: { '_versions._userAttributes.code': 'c17' } }],
    [{ query: { '_versions._userAttributes.floor': 17 } }],
    [{ query: { '_versions._userAttributes.code': 'c17', '_versions.all': true } }],
    [{ sort: { _name: 1 } }],
    [{ sort: { _name: -1 } }],
    [{ query: { _userType: 'type 3' }, sort: { _id: -1 } }],
  ])('%j', (parameters) => expectFew('', { page, ...parameters }));
});

describe('lists of versions examine few documents', () => {
  it.each<[Record<string, unknown>]>([[{}], [{ query: { _version: 2 } }], [{ sort: { _version: 1 } }]])(
    '%j',
    (parameters) => expectFew(`/${files._id}/versions`, parameters),
  );
});

describe('lists of related items examine few documents', () => {
  it.each<[Record<string, unknown>]>([
    [{}],
    [{ sort: { _id: -1 } }],
    [{ query: { kind: 'kind 7' } }],
    [{ query: { kind: { $in: ['kind 7'] }, n: { $gt: 5 } } }],
    [{ query: { $or: [{ kind: 'kind 7' }, { 'size.height': 3 }] } }],
    [{ query: { 'size.height': { $gt: 500, $lte: 540 } } }],
    [{ query: { 'size.height': { $gte: 100, $lt: 140 } }, sort: { 'size.height': 1 } }],
    [{ sort: { 'size.height': -1 } }],
    [{ sort: { kind: 1 } }],
    [{ query: { $text: { $search: 'number77' } } }],
  ])('%j', (parameters) => expectFew(`/${rows._id}/relateditems`, { page: { _pageSize: 25 }, ...parameters }));

  it.each([{ kind: 'kind 7' }, { $text: { $search: 'number77' } }])('also for distinct values (%j)', async (query) => {
    const collectionDesc = { _userType: 'rows' };
    const body = { $distinctRelatedItemFields: { collectionDesc, query, fields: ['n'] } };
    const profiles = await profiled(() => send('post', '/search').send(body).expect(200));
    const examined = profiles.filter(({ ns }) => ns.endsWith('.related_items')).map(({ docsExamined }) => docsExamined);
    expect(examined).toHaveLength(1);
    expect(examined[0]).toBeLessThanOrEqual(FEW);
  });

  it('by file', () => {
    const query = { _fileId: fileIds[500] };
    return expectFew(`/${files._id}/relateditems`, { query }, { userItemVersionId: files._tipId });
  });

  it('and without an index those of their collection alone', async () => {
    await expectFew(`/${rows._id}/relateditems`, { query: { n: 5 } }, {}, 2 * ROWS);
  });
});
