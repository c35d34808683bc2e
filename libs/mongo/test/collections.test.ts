import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ensureIndexes, findPage, newId } from '../src/index.js';
import { connectToFreshDatabase } from './support.js';

interface Thing {
  _id: string;
  rank: number;
}

const mongo = await connectToFreshDatabase();
const things = mongo.db.collection<Thing>('things');

beforeAll(() => things.insertMany(Array.from({ length: 30 }, (_, rank) => ({ _id: newId(), rank }))));
afterAll(async () => {
  await mongo.db.dropDatabase();
  await mongo.close();
});

describe('newId', () => {
  it('gives 24 hexadecimal digits, never the same twice', () => {
    const ids = Array.from({ length: 1000 }, newId);
    expect(new Set(ids).size).toBe(1000);
    expect(ids.every((id) => /^[0-9a-f]{24}$/.test(id))).toBe(true);
  });
});

describe('findPage', () => {
  const ranks = async (page: Parameters<typeof findPage>[2]) =>
    (await findPage(things, { rank: { $gte: 10 } }, page)).map(({ rank }) => rank);

  it('gives one page in order', async () => {
    expect(await ranks({ offset: 2, pageSize: 3, sort: { rank: 1 } })).toEqual([12, 13, 14]);
    expect(await ranks({ offset: 18, pageSize: 5, sort: { rank: 1 } })).toEqual([28, 29]);
    expect(await ranks({ offset: 20, pageSize: 5, sort: { rank: 1 } })).toEqual([]);
  });

  it('gives nothing for a page of size 0', async () => {
    expect(await ranks({ offset: 0, pageSize: 0 })).toEqual([]);
  });

  it('leaves out what is not asked for', async () => {
    const [first] = await findPage<Thing, Pick<Thing, 'rank'>>(
      things,
      {},
      { offset: 0, pageSize: 1, sort: { rank: 1 }, projection: { rank: 1, _id: 0 } },
    );
    expect(first).toEqual({ rank: 0 });
  });

  it('stops when its signal is aborted', async () => {
    const slow = { $where: 'sleep(100) || true' };
    const controller = new AbortController();
    const page = findPage(things, slow, { offset: 0, pageSize: 30, signal: controller.signal });
    controller.abort();
    await expect(page).rejects.toMatchObject({ name: 'AbortError' });
  });
});

describe('ensureIndexes', () => {
  const plan = { planned: [{ key: { namespace: 1, name: 1 }, unique: true, name: 'name' }], bare: [] };
  const names = async (collection: string) => (await mongo.db.collection(collection).indexes()).map(({ name }) => name);

  it('creates collections and indexes, several times and several at once', async () => {
    await Promise.all(Array.from({ length: 5 }, () => ensureIndexes(mongo.db, plan)));
    await ensureIndexes(mongo.db, plan);
    expect(await names('planned')).toEqual(['_id_', 'name']);
    expect(await names('bare')).toEqual(['_id_']);
  });

  it('refuses another definition under the same name', async () => {
    const changed = { planned: [{ key: { namespace: 1 }, name: 'name' }] };
    await expect(ensureIndexes(mongo.db, changed)).rejects.toThrow(/name/);
  });
});
