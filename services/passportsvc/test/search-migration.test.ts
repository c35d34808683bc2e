import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { schema } from '../src/store/schema.js';
import { startApp } from './start-app.js';
import type { TestApp } from './start-app.js';
import { asApp } from './tokens.js';

const USERS = '/passportsvc/api/v1/scim/Users';

describe('users of the previous version', () => {
  let app: TestApp;
  let authorization: string;
  let made = 0;
  const users = () => app.mongo.db.collection<{ _id: string }>('users');
  const all = () => users().find().sort({ _id: 1 }).toArray();
  const migrate = () =>
    schema.migrations.find(({ id }) => id === '0002-user-search')!.up(app.mongo.db, new AbortController().signal);

  /** A user as the previous version stores it: it knows fewer attributes, and nothing of searches. */
  const userOf = (n: number, createdAt: number) => ({
    _id: n.toString(16).padStart(24, '0'),
    _orgId: app.orgId,
    userName: `Old-${n}@Platform.test`,
    _userNameKey: `old-${n}@platform.test`,
    _emailKeys: [`old-${n}@platform.test`, `mail-${n}@platform.test`],
    emails: [{ value: `Mail-${n}@platform.test`, type: 'work', primary: true }],
    name: { givenName: 'Old', familyName: `Ängström-${n}` },
    displayName: '',
    active: true,
    _admin: false,
    _createdAt: createdAt,
    _updatedAt: createdAt,
    _revision: 0,
  });
  async function store(count: number, createdAt = Date.now()): Promise<number[]> {
    const numbers = Array.from({ length: count }, () => ++made);
    await users().insertMany(numbers.map((n) => userOf(n, createdAt)));
    return numbers;
  }
  /** How many users each of the filters finds. */
  async function found(n: number): Promise<number[]> {
    const filters = [
      ...[`emails.value eq "mail-${n}@PLATFORM.test"`, `name.familyName eq "äNGSTRÖM-${n}"`],
      ...[`name.familyName co "gström-${n}" and userName eq "old-${n}@platform.test"`],
      ...[`emails[type eq "WORK" and value sw "mail-${n}@"]`, `displayName pr and userName sw "old-${n}@"`],
    ];
    const replies = filters.map((filter) => app.api.get(USERS).query({ filter }).set({ authorization }).expect(200));
    return (await Promise.all(replies)).map(({ body }) => body.totalResults as number);
  }
  const FOUND = [1, 1, 1, 1, 0];

  beforeAll(async () => {
    app = await startApp();
    authorization = await asApp(app);
  });
  afterAll(() => app.stop());

  it('become searchable by the migration, which changes nothing else and nothing twice', async () => {
    // More than one batch.
    const numbers = await store(1_100, 1);
    const [first, last] = [numbers[0]!, numbers.at(-1)!];
    expect(await found(first)).toEqual([0, 0, 0, 0, 0]);
    const before = await all();
    await migrate();
    for (const n of [first, last]) expect(await found(n)).toEqual(FOUND);
    const after = await all();
    expect(after.map(({ _search, ...user }: { _search?: object; _id: string }) => user)).toEqual(
      before.map(({ _search, ...user }: { _search?: object; _id: string }) => user),
    );
    expect(after.filter((user) => !('_search' in user))).toEqual([]);
    await migrate();
    expect(await all()).toEqual(after);
  });

  it('are stored by the migration as by this version', async () => {
    const [n] = await store(1);
    await migrate();
    const { _id, emails, name } = userOf(n!, 1);
    const sent = { userName: `new-${n}@platform.test`, emails, name, displayName: '' };
    const { body } = await app.api.post(USERS).set({ authorization }).send(sent).expect(201);
    const searchOf = async (id: string) => (await users().findOne<{ _search: object }>({ _id: id }))!._search;
    expect(await searchOf(_id)).toEqual({
      ...(await searchOf(body.id as string)),
      userName: `old-${n}@platform.test`,
    });
  });

  it('are left as they are when this version has changed them meanwhile', async () => {
    const [n] = await store(1);
    const { _id } = userOf(n!, 1);
    const sent = { userName: `old-${n}@platform.test`, name: { familyName: 'New' } };
    await app.api.put(`${USERS}/${_id}`).set({ authorization }).send(sent).expect(200);
    const changed = await users().findOne({ _id });
    await migrate();
    expect(await users().findOne({ _id })).toEqual(changed);
    expect(changed).toMatchObject({ _search: { name: { familyName: 'new' } } });
  });
});
