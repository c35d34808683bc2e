import { beforeAll, describe, expect, it } from '@jest/globals';
import { useApp } from './start-app.js';
import { asApp, asUser } from './tokens.js';

const USERS = '/passportsvc/api/v1/scim/Users';
const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
const CORE = 'urn:ietf:params:scim:schemas:core:2.0:User';

const PEOPLE = [
  {
    userName: 'anna@list.test',
    externalId: 'Ext-A',
    name: { givenName: 'Anna', familyName: 'Ängström' },
    displayName: 'Anna A.',
    title: 'Engineer',
    emails: [
      { value: 'anna@work.test', type: 'work', primary: true },
      { value: 'anna@home.test', type: 'home' },
    ],
    phoneNumbers: [{ value: '+49 30 1', type: 'mobile' }],
    [ENTERPRISE]: { department: 'R&D', manager: { value: 'Boss-1' } },
  },
  {
    userName: 'Bob@list.test',
    externalId: 'ext-b',
    name: { givenName: 'Bob', familyName: 'Baker' },
    title: 'engineer in chief (.*)',
    emails: [{ value: 'bob@home.test', type: 'home' }],
    active: false,
  },
  { userName: 'carl"quote\\back@list.test', displayName: 'Carl', nickName: '' },
];

describe('the list of SCIM users', () => {
  const app = useApp();
  let second: string;
  const ids: string[] = [];
  const list = (query: Record<string, string | number> = {}, authorization = second) =>
    app.api.get(USERS).query(query).set({ authorization });
  const names = async (query: Record<string, string | number>) => {
    const { body } = await list(query).expect(200);
    return (body.Resources as { userName: string }[]).map(({ userName }) => userName.split('@')[0]!.slice(0, 4));
  };

  beforeAll(async () => {
    second = await asApp(app, app.second);
    for (const person of PEOPLE) ids.push((await app.send('post', USERS, second, person).expect(201)).body.id);
  });

  it('shows apps their own organization, trusted clients and administrators all, without secrets', async () => {
    expect((await list().expect(200)).body.totalResults).toBe(3);
    for (const caller of [await asApp(app), await asUser(app)]) {
      const { body } = await list({}, caller).expect(200);
      expect(body.totalResults).toBe(4);
      expect(JSON.stringify(body)).not.toMatch(/password|_search|scrypt/i);
    }
  });

  /** Filters, by the names that they find. */
  const FOUND: Record<string, string[]> = {
    Bob: [
      ...['userName eq "BOB@list.test"', 'userName eq \\"bob@list.test\\"', 'USERNAME EQ "bob@LIST.test"'],
      ...[`${CORE}:userName eq "bob@list.test"`, 'userName sw "b"', 'title co ".*"', 'active eq false'],
      ...['active ne true', 'emails pr and not (emails.primary eq true)'],
      'userName le "bob@list.test" and userName gt "anna@list.test"',
      '(title pr or userName sw "carl") and active eq false',
      'meta.resourceType eq "Group" or userName sw "bob"',
    ],
    carl: [
      ...['userName eq "carl\\"quote\\\\back@list.test"', 'userName co "quote"', 'not (title pr)', 'title eq null'],
      'displayName gt "anna a." ',
    ],
    'anna Bob carl': [
      ...['userName ew "LIST.test"', 'userName co "."', 'meta.created gt "2020-01-01T00:00:00Z"'],
      ...[`schemas eq "${CORE}"`, 'schemas pr and meta pr and meta.location pr', 'meta.resourceType eq "User"'],
      ...['meta.version eq "W/\\"0\\""', 'meta.version sw "W/" and meta.version lt "W/\\"1"', ''],
    ],
    anna: [
      ...['title eq "ENGINEER"', 'externalId eq "Ext-A"', 'name.familyName eq "äNGSTRÖM"'],
      ...['emails.value eq "ANNA@work.test"', 'emails.type eq "work"'],
      ...['emails[type eq "work" and value co "anna"]', 'emails[not (type eq "home")]', 'emails[primary eq true]'],
      ...['phoneNumbers[type eq "MOBILE"].value sw "+49"', `${ENTERPRISE}:department eq "r&d"`],
      ...[`${ENTERPRISE}:manager.value eq "Boss-1"`, 'userName lt "b"', `schemas eq "${ENTERPRISE}"`],
      `schemas co "enterprise" and active eq true`,
    ],
    'anna Bob': [
      ...['title sw "engineer"', 'title pr', 'emails co "home.test"', 'emails.type ne "work"'],
      'title pr or userName sw "carl" and active eq false',
    ],
    '': [
      ...['externalId eq "ext-a"', 'nickName pr', 'emails[type eq "work" and value co "home"]'],
      ...[`${ENTERPRISE}:manager.value eq "boss-1"`, 'meta.lastModified lt "2020-01-01T00:00:00Z"'],
      ...['schemas eq "urn:unknown"', 'meta.resourceType ne "User"', 'meta.version eq "W/\\"1\\""'],
      'meta.location co "/scim/Users/" and meta.location ew "x"',
    ],
    'Bob carl': ['title ne "engineer"', `not (schemas eq "${ENTERPRISE}")`],
    'anna carl': ['active eq "True"', 'displayName ge "Anna A."'],
  };
  const filters = Object.entries(FOUND).flatMap(([expected, all]) => all.map((filter) => ({ filter, expected })));

  it.each(filters)('finds "$expected" with $filter', async ({ filter, expected }) => {
    expect((await names({ filter })).sort().join(' ')).toBe(expected.split(' ').sort().join(' '));
  });

  it('finds by id and location', async () => {
    expect(await names({ filter: `id eq "${ids[1]}"` })).toEqual(['Bob']);
    expect(await names({ filter: `id eq "${ids[1]!.toUpperCase()}"` })).toEqual([]);
    const location = `${app.url}${USERS}/${ids[1]}`;
    expect(await names({ filter: `meta.location eq "${location}"` })).toEqual(['Bob']);
    expect(await names({ filter: `meta.location ew "/${ids[1]}"` })).toEqual(['Bob']);
    expect(await names({ filter: `meta.location ne "${location}"` })).toEqual(['anna', 'carl']);
  });

  it.each([
    ...['userName', 'userName eq', 'userName eq bob', 'userName eq "bob', 'userName eq 5', 'userName eq "a\\ud800"'],
    ...['userName eq "a\\u0000"', 'meta.created gt 9007199254740993', 'userName is "bob"', 'unknown eq "x"'],
    ...['password eq "x"', 'password pr', '_passwordHash pr', '_search.title eq "x"', '__proto__ eq "x"'],
    ...['constructor pr', 'name eq "x"', 'active gt true', 'active eq "maybe"', 'meta.created eq "yesterday"'],
    ...['meta.created co "2020-01-01T00:00:00Z"', 'title gt null', 'userName eq "a" and', '(userName eq "a"'],
    ...['userName[value eq "a"]', 'emails[emails.value eq "a"]', 'emails[type eq "work"', '$where eq "x"'],
    ...['userName eq {"$gt": ""}', `userName eq "${'\n'.repeat(60)}`, `${'('.repeat(2000)}userName pr`],
    ...[`${'not '.repeat(1000)}userName pr`, Array.from({ length: 300 }, () => 'title pr').join(' or ')],
    `title eq "${'x'.repeat(5000)}"`,
  ])('rejects the filter %s', async (filter) => {
    const { body } = await list({ filter }).expect(400);
    expect(body).toMatchObject({ status: '400', scimType: 'invalidFilter' });
  });

  it('is sorted, with users without a value last', async () => {
    for (const sortBy of ['schemas', 'meta.resourceType', 'meta.location', 'meta.version', 'meta.created']) {
      expect(await names({ sortBy })).toEqual(['anna', 'Bob', 'carl']);
      expect(await names({ sortBy, sortOrder: 'descending' })).toHaveLength(3);
    }
    expect(await names({ sortBy: 'userName' })).toEqual(['anna', 'Bob', 'carl']);
    expect(await names({ sortBy: 'USERNAME', sortOrder: 'Descending' })).toEqual(['carl', 'Bob', 'anna']);
    expect((await names({ sortBy: 'displayName' })).slice(0, 2)).toEqual(['anna', 'carl']);
    expect((await names({ sortBy: 'displayName', sortOrder: 'descending' })).slice(1)).toEqual(['carl', 'anna']);
    expect((await names({ sortBy: 'emails' }))[2]).toBe('carl');
    expect(await names({ sortBy: 'meta.created', sortOrder: 'descending' })).toEqual(['carl', 'Bob', 'anna']);
    for (const sortBy of ['password', 'unknown', 'name', '_passwordHash']) {
      expect((await list({ sortBy }).expect(400)).body.scimType).toBe('invalidPath');
    }
    await list({ sortBy: 'userName', sortOrder: 'up' }).expect(400);
  });

  it.each([
    [{ startIndex: 2, count: 1 }, [3, 2, 1]],
    [{ startIndex: 0, count: 2 }, [3, 1, 2]],
    [{ count: 0 }, [3, 1, 0]],
    [{ count: -1 }, [3, 1, 0]],
    [{ startIndex: 10 }, [3, 10, 0]],
    [{ startIndex: '999999999999999', count: '999999999999999' }, [3, expect.any(Number), 0]],
  ])('clamps the page %j', async (query, expected) => {
    const { body } = await list({ sortBy: 'userName', ...query }).expect(200);
    expect([body.totalResults, body.startIndex, body.itemsPerPage]).toEqual(expected);
  });

  it('shows the selected attributes only', async () => {
    const one = async (query: Record<string, string>) =>
      (await list({ filter: 'userName eq "anna@list.test"', ...query }).expect(200)).body.Resources[0];
    const always = { schemas: [CORE, ENTERPRISE], id: ids[0] };
    expect(await one({ attributes: 'USERNAME, name.givenName,emails.value,unknown' })).toEqual({
      ...{ ...always, userName: 'anna@list.test', name: { givenName: 'Anna' } },
      emails: [{ value: 'anna@work.test' }, { value: 'anna@home.test' }],
    });
    const department = { ...always, [ENTERPRISE]: { department: 'R&D' } };
    expect(await one({ attributes: `${ENTERPRISE}:department` })).toEqual(department);
    expect(await one({ attributes: 'password' })).toEqual(always);
    expect(await one({ attributes: 'name,name.givenName' })).toMatchObject({ name: PEOPLE[0]!.name });
    const rest = await one({ excludedAttributes: 'id,schemas,emails,name.familyName,meta' });
    expect(rest).toMatchObject({ ...always, name: { givenName: 'Anna' }, title: 'Engineer' });
    for (const gone of ['emails', 'meta']) expect(rest).not.toHaveProperty(gone);
    expect(rest.name).not.toHaveProperty('familyName');
    await list({ attributes: 'id', excludedAttributes: 'name' }).expect(400);
    await list({ count: '1.5' }).expect(400);
    const byId = await app.send('get', `${USERS}/${ids[0]}?attributes=userName`, second).expect(200);
    expect(byId.body).toEqual({ ...always, userName: 'anna@list.test' });
  });

  it('also responds to a search', async () => {
    const search = (body: object) => app.send('post', `${USERS}/.search`, second, body);
    const schemas = ['urn:ietf:params:scim:api:messages:2.0:SearchRequest'];
    const query = { filter: 'title pr', attributes: ['userName'], sortBy: 'userName', startIndex: 2, COUNT: 1 };
    const { body } = await search({ schemas, ...query }).expect(200);
    expect(body).toMatchObject({ totalResults: 2, startIndex: 2, itemsPerPage: 1 });
    expect(body.Resources).toEqual([{ schemas: expect.any(Array), id: ids[1], userName: 'Bob@list.test' }]);
    for (const bad of [{ schemas, filter: 'x' }, { schemas: ['other'] }, { schemas, filter: { $gt: '' } }])
      await search(bad).expect(400);
  });
});
