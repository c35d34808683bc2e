import { beforeAll, describe, expect, it } from '@jest/globals';
import { createPasswords } from '../src/scim/users/passwords.js';
import { countId } from '../src/scim/users/user-counts.store.js';
import { newUser } from '../src/scim/users/users.js';
import { useApp } from './start-app.js';
import { asApp } from './tokens.js';
import { createUserClient } from './user-client.js';

const USERS = '/passportsvc/api/v1/scim/Users';
const ORGANIZATIONS = ['second-org', 'platform-org'];
const OF_EACH = 300;

/** The cost of lists must not depend on the size of the organization (bench rows `scim-list`). */
describe('a list of SCIM users', () => {
  const app = useApp();
  let authorization: string;
  const collection = (name: string) => app.deps.mongo.db.collection<{ _id: string }>(name);
  const list = async (query: Record<string, string | number>) => {
    const { body } = await app.api.get(USERS).query(query).set({ authorization }).expect(200);
    return body as { totalResults: number; itemsPerPage: number };
  };

  beforeAll(async () => {
    authorization = await asApp(app, app.second);
    const passwords = createPasswords();
    for (const [o, _orgId] of ORGANIZATIONS.entries()) {
      const made = Array.from({ length: OF_EACH }, (_, n) => {
        const name = `anna-${o}-${String(n).padStart(3, '0')}`;
        return newUser(
          {
            ...{ _id: `${o}${String(n).padStart(23, '0')}`, _orgId, active: true, userName: `${name}@cost.test` },
            ...{ name: { familyName: `Family-${n}` }, emails: [{ value: `mail.${name}@cost.test` }], externalId: name },
          },
          passwords,
        );
      });
      await collection('users').insertMany(await Promise.all(made), { ignoreUndefined: true });
      const added = { $inc: { amount: OF_EACH }, $setOnInsert: { orgId: _orgId } };
      await collection('user_counts').updateOne({ _id: countId(_orgId, 0) }, added, { upsert: true });
    }
  });

  /** What MongoDB examines for one call. */
  async function costOf(query: Record<string, string | number>) {
    const { db } = app.deps.mongo;
    await db.command({ profile: 2 });
    const { totalResults } = await list(query);
    await db.command({ profile: 0 });
    const found = await db
      .collection('system.profile')
      .find({ ns: `${db.databaseName}.users` })
      .toArray();
    await db.collection('system.profile').drop();
    const sum = (field: 'keysExamined' | 'docsExamined') =>
      found.reduce((total, entry) => total + ((entry[field] as number | undefined) ?? 0), 0);
    const sorts = found.some(({ hasSortStage }) => hasSortStage);
    return { totalResults, keys: sum('keysExamined'), documents: sum('docsExamined'), sorts };
  }

  it.each([
    ['all', { count: 10 }, OF_EACH, 10],
    ['userName eq', { filter: 'userName eq "Anna-0-017@cost.test"' }, 1, 1],
    ['userName sw', { filter: 'userName sw "anna-0-01"', count: 20 }, 10, 10],
    ['userName sw, more than a page', { filter: 'userName sw "anna-0-01"', count: 5 }, 10, 15],
    ['emails.value eq', { filter: 'emails.value eq "MAIL.anna-0-017@cost.test"' }, 1, 1],
    ['emails.value sw', { filter: 'emails.value sw "mail.anna-0-017"' }, 1, 1],
    ['externalId eq', { filter: 'externalId eq "anna-0-017"' }, 1, 1],
    ['name.familyName eq', { filter: 'name.familyName eq "family-17"' }, 1, 1],
    ['name.familyName sw', { filter: 'name.familyName sw "family-17"' }, 11, 11],
  ])('reads no more than it shows: %s', async (_what, query, total, read) => {
    const cost = await costOf(query);
    expect(cost.totalResults).toBe(total);
    // MongoDB may also read the next entry, and entries with the same value in another organization.
    expect(cost.keys).toBeLessThanOrEqual(2 * read + 2);
    // Without an index MongoDB would examine documents only.
    expect(cost.documents).toBeLessThanOrEqual(2 * read + 2);
  });

  it.each(['id', 'userName', 'meta.created', 'meta.lastModified'])('is sorted by an index on %s', async (sortBy) => {
    for (const sortOrder of ['ascending', 'descending']) {
      const { totalResults, sorts } = await costOf({ sortBy, sortOrder, count: 10 });
      expect([totalResults, sorts]).toEqual([OF_EACH, false]);
    }
  });

  it('counts users exactly while many are created and deleted concurrently', async () => {
    const users = createUserClient(app, authorization);
    const before = await list({ count: 0 });
    expect(before).toMatchObject({ totalResults: OF_EACH, itemsPerPage: 0 });
    const made = await Promise.all(
      Array.from({ length: 24 }, (_, n) => users.create({ userName: `counted-${n}@cost.test` })),
    );
    expect((await list({ count: 1 })).totalResults).toBe(OF_EACH + 24);
    await users.reject({ userName: 'counted-1@cost.test' });
    await Promise.all(made.map(({ id }) => users.remove(id)));
    expect((await list({ count: 1 })).totalResults).toBe(OF_EACH);
  });

  it('matches special characters of regular expressions literally', async () => {
    const users = createUserClient(app, authorization);
    const userName = 'a^b$c.d*e+f?g(h)i[j]k{l}m|n\\o/p-q\\x2dr#s\\Q';
    const { id } = await users.create({ userName });
    for (const op of ['eq', 'sw', 'ew', 'co']) {
      expect((await list({ filter: `userName ${op} ${JSON.stringify(userName)}` })).totalResults).toBe(1);
    }
    expect((await list({ filter: 'userName co "q-r"' })).totalResults).toBe(0);
    for (const op of ['eq', 'sw', 'ew', 'co', 'gt']) await list({ filter: `title ${op} "\\u0001"` });
    await users.remove(id);
  });

  it('is rejected as tooMany after two seconds', async () => {
    const { db } = app.deps.mongo;
    const slowly = 'function () { const end = Date.now() + 50; while (Date.now() < end); return true; }';
    await db.renameCollection('users', 'all_users');
    await db.createCollection('users', {
      viewOn: 'all_users',
      pipeline: [{ $match: { $expr: { $function: { body: slowly, args: [], lang: 'js' } } } }],
    });
    for (const query of [{ filter: 'name.familyName co "nobody"' }, { sortBy: 'displayName' }]) {
      const { body } = await app.api.get(USERS).query(query).set({ authorization }).expect(400);
      expect(body).toMatchObject({ status: '400', scimType: 'tooMany' });
    }
    await db.dropCollection('users');
    await db.renameCollection('all_users', 'users');
  });
});
