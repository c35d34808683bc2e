import { describe, expect, it } from '@jest/globals';
import { indexClient } from './index-client.js';
import { asJson, doors, itemClient, times } from './item-client.js';
import type { Shown } from './item-client.js';
import { NS, openApp } from './start-app.js';

const ITEM_COUNT = 600;
const ROWS = 1000;
/** Documents examined for one page of matches and its total. */
const FEW = 60;

const here = await openApp(NS);
const { app } = here;
const { send, create, createOne, addRows, addVersion } = itemClient(here);
const fileIds = app.files.add(ROWS);

const profiled = (call: () => PromiseLike<unknown>) => app.profile(['items', 'item_versions', 'related_items'], call);
async function expectFew(path: string, parameters: Record<string, unknown>, query: object = {}, few = FEW) {
  const profiles = await profiled(() => send('get', path, { ...asJson(parameters), ...query }).expect(200));
  expect(profiles.length).toBeGreaterThan(0);
  for (const { planSummary, docsExamined, ns } of profiles) {
    expect([parameters, ns, planSummary]).not.toContain('COLLSCAN');
    expect([parameters, ns, planSummary, docsExamined! <= few || docsExamined]).toContain(true);
  }
}

await app.startWorker();
const door = (n: number) =>
  doors({
    _name: `Door ${String(n).padStart(4, '0')}`,
    _userType: `type ${n % 30}`,
    _itemClass: n % 30 === 0 ? 'UserConfig' : 'NamedUserCollection',
    _version: { _userAttributes: { floor: n % 40, code: `c${n}` }, _userData: {} },
  });
await create(times(ITEM_COUNT, door)).expect(201);
const rows: Shown = await createOne({ _userType: 'rows' });
const files: Shown = await createOne({ _userType: 'files', _itemClass: 'NamedFileCollection' });
const fileOf = (n: number) => ({ _fileId: fileIds[n] });
await addRows(files._id, times(ROWS, fileOf));
const { index, ready } = indexClient(here);
await index(rows._id, { key: { kind: 1 } }, { key: { 'size.height': -1 } }, { key: { title: 'text' } }).expect(201);
const row = (n: number) => ({ n, kind: `kind ${n % 50}`, size: { height: n }, title: `Row number${n}` });
const allRows = times(2 * ROWS, row);
for (const first of [0, ROWS]) await addRows(rows._id, allRows.slice(first, first + ROWS));
await ready(rows._id);
for (let n = 0; n < 5; n++) await addVersion(files._id);

describe('a list of items examines few documents', () => {
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
    [{ query: { '_versions._userAttributes.code': 'c17', '_versions.all': true } }],
    [{ sort: { _name: 1 } }],
    [{ query: { _userType: 'type 3' }, sort: { _id: -1 } }],
  ])('for %j', (parameters) => expectFew('', { page, ...parameters }));
});

it('a list of versions examines few documents', async () => {
  for (const parameters of [{}, { query: { _version: 2 } }, { sort: { _version: 1 } }])
    await expectFew(`/${files._id}/versions`, parameters);
});

describe('a list of related items examines few documents', () => {
  it.each<[Record<string, unknown>]>([
    [{}],
    [{ sort: { _id: -1 } }],
    [{ query: { kind: { $in: ['kind 7'] }, n: { $gt: 5 } } }],
    [{ query: { $or: [{ kind: 'kind 7' }, { 'size.height': 3 }] } }],
    [{ query: { 'size.height': { $gt: 500, $lte: 540 } } }],
    [{ query: { 'size.height': { $gte: 100, $lt: 140 } }, sort: { 'size.height': 1 } }],
    [{ sort: { 'size.height': -1 } }],
    [{ sort: { kind: 1 } }],
    [{ query: { $text: { $search: 'number77' } } }],
  ])('for %j', (parameters) => expectFew(`/${rows._id}/relateditems`, { page: { _pageSize: 25 }, ...parameters }));

  it.each([{ kind: 'kind 7' }, { $text: { $search: 'number77' } }])('for distinct values of %j', async (query) => {
    const collectionDesc = { _userType: 'rows' };
    const body = { $distinctRelatedItemFields: { collectionDesc, query, fields: ['n'] } };
    const profiles = await profiled(() => send('post', '/search').send(body).expect(200));
    const examined = profiles.filter(({ ns }) => ns.endsWith('.related_items')).map(({ docsExamined }) => docsExamined);
    expect(examined).toHaveLength(1);
    expect(examined[0]).toBeLessThanOrEqual(FEW);
  });

  it('for a file', () => {
    const query = { _fileId: fileIds[500] };
    return expectFew(`/${files._id}/relateditems`, { query }, { userItemVersionId: files._tipId });
  });

  it('of the same collection only, without an index', async () => {
    await expectFew(`/${rows._id}/relateditems`, { query: { n: 5 } }, {}, 2 * ROWS);
  });
});
