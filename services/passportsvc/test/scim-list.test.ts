import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApp } from './start-app.js';
import type { TestApp } from './start-app.js';
import { asApp, asUser } from './tokens.js';

const USERS = '/passportsvc/api/v1/scim/Users';
const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
const CORE = 'urn:ietf:params:scim:schemas:core:2.0:User';
const LIST = 'urn:ietf:params:scim:api:messages:2.0:ListResponse';

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
  let app: TestApp;
  let second: string;
  const ids: string[] = [];
  const list = (query: Record<string, string | number> = {}, authorization = second) =>
    app.api.get(USERS).query(query).set({ authorization });
  const names = async (query: Record<string, string | number>) => {
    const { body } = await list(query).expect(200);
    return (body.Resources as { userName: string }[]).map(({ userName }) => userName.split('@')[0]!.slice(0, 4));
  };

  beforeAll(async () => {
    app = await startApp();
    second = await asApp(app, { id: app.dev.second.appId, secret: app.dev.second.appSecret });
    for (const person of PEOPLE) {
      const response = await app.api.post(USERS).set({ authorization: second }).send(person).expect(201);
      ids.push(response.body.id);
    }
  });
  afterAll(() => app.stop());

  it('has both spellings of resources, and the numbers of RFC 7644', async () => {
    const { body, headers } = await list().expect(200);
    expect(headers['content-type']).toMatch(/^application\/scim\+json/);
    expect(body).toEqual({
      schemas: [LIST],
      totalResults: 3,
      startIndex: 1,
      itemsPerPage: 3,
      Resources: expect.any(Array),
      resources: body.Resources,
    });
    const none = await list({ filter: 'userName eq "nobody"' }).expect(200);
    expect(none.body).toMatchObject({ totalResults: 0, itemsPerPage: 0, Resources: [], resources: [] });
  });

  it('shows apps their own organization, trusted clients and administrators all', async () => {
    expect((await list().expect(200)).body.totalResults).toBe(3);
    for (const caller of [await asApp(app), await asUser(app)]) {
      const { body } = await list({}, caller).expect(200);
      expect(body.totalResults).toBe(4);
      expect(JSON.stringify(body)).not.toMatch(/password|_search|scrypt/i);
    }
    const plain = { userName: 'plain@list.test', password: 'the password of a plain user' };
    const created = await app.api.post(USERS).set({ authorization: second }).send(plain).expect(201);
    await list({}, await asUser(app, plain, { id: app.dev.second.appId, secret: app.dev.second.appSecret })).expect(
      403,
    );
    await app.api.delete(`${USERS}/${created.body.id}`).set({ authorization: second }).expect(204);
  });

  it.each([
    ['userName eq "BOB@list.test"', ['Bob']],
    ['userName eq \\"bob@list.test\\"', ['Bob']],
    ['USERNAME EQ "bob@LIST.test"', ['Bob']],
    [`${CORE}:userName eq "bob@list.test"`, ['Bob']],
    ['userName eq "carl\\"quote\\\\back@list.test"', ['carl']],
    ['userName sw "b"', ['Bob']],
    ['userName ew "LIST.test"', ['anna', 'Bob', 'carl']],
    ['userName co "quote"', ['carl']],
    ['userName co "."', ['anna', 'Bob', 'carl']],
    ['title co ".*"', ['Bob']],
    ['title eq "ENGINEER"', ['anna']],
    ['title sw "engineer"', ['anna', 'Bob']],
    ['externalId eq "Ext-A"', ['anna']],
    ['externalId eq "ext-a"', []],
    ['name.familyName eq "äNGSTRÖM"', ['anna']],
    ['title pr', ['anna', 'Bob']],
    ['nickName pr', []],
    ['not (title pr)', ['carl']],
    ['title eq null', ['carl']],
    ['title ne "engineer"', ['Bob', 'carl']],
    ['active eq false', ['Bob']],
    ['active eq "True"', ['anna', 'carl']],
    ['active ne true', ['Bob']],
    ['emails co "home.test"', ['anna', 'Bob']],
    ['emails.value eq "ANNA@work.test"', ['anna']],
    ['emails.type eq "work"', ['anna']],
    ['emails.type ne "work"', ['anna', 'Bob']],
    ['emails[type eq "work" and value co "anna"]', ['anna']],
    ['emails[type eq "work" and value co "home"]', []],
    ['emails[not (type eq "home")]', ['anna']],
    ['emails pr and not (emails.primary eq true)', ['Bob']],
    ['emails[primary eq true]', ['anna']],
    ['phoneNumbers[type eq "MOBILE"].value sw "+49"', ['anna']],
    [`${ENTERPRISE}:department eq "r&d"`, ['anna']],
    [`${ENTERPRISE}:manager.value eq "Boss-1"`, ['anna']],
    [`${ENTERPRISE}:manager.value eq "boss-1"`, []],
    ['displayName gt "anna a." ', ['carl']],
    ['displayName ge "Anna A."', ['anna', 'carl']],
    ['userName lt "b"', ['anna']],
    ['userName le "bob@list.test" and userName gt "anna@list.test"', ['Bob']],
    ['title pr or userName sw "carl" and active eq false', ['anna', 'Bob']],
    ['(title pr or userName sw "carl") and active eq false', ['Bob']],
    ['meta.created gt "2020-01-01T00:00:00Z"', ['anna', 'Bob', 'carl']],
    ['meta.lastModified lt "2020-01-01T00:00:00Z"', []],
    [`schemas eq "${ENTERPRISE}"`, ['anna']],
    [`schemas eq "${CORE}"`, ['anna', 'Bob', 'carl']],
    [`schemas co "enterprise" and active eq true`, ['anna']],
    [`not (schemas eq "${ENTERPRISE}")`, ['Bob', 'carl']],
    ['schemas eq "urn:unknown"', []],
    ['schemas pr and meta pr and meta.location pr', ['anna', 'Bob', 'carl']],
    ['meta.resourceType eq "User"', ['anna', 'Bob', 'carl']],
    ['meta.resourceType ne "User"', []],
    ['meta.resourceType eq "Group" or userName sw "bob"', ['Bob']],
    ['meta.version eq "W/\\"0\\""', ['anna', 'Bob', 'carl']],
    ['meta.version eq "W/\\"1\\""', []],
    ['meta.version sw "W/" and meta.version lt "W/\\"1"', ['anna', 'Bob', 'carl']],
    ['meta.location co "/scim/Users/" and meta.location ew "x"', []],
    ['', ['anna', 'Bob', 'carl']],
  ])('finds with %s', async (filter, expected) => {
    expect((await names({ filter })).sort()).toEqual(expected.sort());
  });

  it('finds by id', async () => {
    expect(await names({ filter: `id eq "${ids[1]}"` })).toEqual(['Bob']);
    expect(await names({ filter: `id eq "${ids[1]!.toUpperCase()}"` })).toEqual([]);
    const location = `${app.url}${USERS}/${ids[1]}`;
    expect(await names({ filter: `meta.location eq "${location}"` })).toEqual(['Bob']);
    expect(await names({ filter: `meta.location ew "/${ids[1]}"` })).toEqual(['Bob']);
    expect(await names({ filter: `meta.location ne "${location}"` })).toEqual(['anna', 'carl']);
  });

  it.each([
    'userName',
    'userName eq',
    'userName eq bob',
    'userName eq "bob',
    'userName eq 5',
    'userName eq "a\\ud800"',
    'userName eq "a\\u0000"',
    'meta.created gt 9007199254740993',
    'userName is "bob"',
    'unknown eq "x"',
    'password eq "x"',
    'password pr',
    '_passwordHash pr',
    '_search.title eq "x"',
    '__proto__ eq "x"',
    'constructor pr',
    'name eq "x"',
    'active gt true',
    'active eq "maybe"',
    'meta.created eq "yesterday"',
    'meta.created co "2020-01-01T00:00:00Z"',
    'title gt null',
    'userName eq "a" and',
    '(userName eq "a"',
    'userName[value eq "a"]',
    'emails[emails.value eq "a"]',
    'emails[type eq "work"',
    '$where eq "x"',
    'userName eq {"$gt": ""}',
    `userName eq "${'\n'.repeat(60)}`,
    `${'('.repeat(2000)}userName pr`,
    `${'not '.repeat(1000)}userName pr`,
    Array.from({ length: 300 }, () => 'title pr').join(' or '),
    `title eq "${'x'.repeat(5000)}"`,
  ])('refuses the filter %s', async (filter) => {
    const { body } = await list({ filter }).expect(400);
    expect(body).toMatchObject({ status: '400', scimType: 'invalidFilter' });
  });

  it.each(['schemas', 'meta.resourceType', 'meta.location', 'meta.version', 'meta.created'])(
    'is sorted by %s',
    async (sortBy) => {
      expect(await names({ sortBy })).toEqual(['anna', 'Bob', 'carl']);
      expect(await names({ sortBy, sortOrder: 'descending' })).toHaveLength(3);
    },
  );

  it('is sorted, without values last', async () => {
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

  it('is paged from 1, with out-of-range numbers taken as the nearest', async () => {
    const page = async (query: object) => {
      const { body } = await list({ sortBy: 'userName', ...query }).expect(200);
      return [body.totalResults, body.startIndex, body.itemsPerPage];
    };
    expect(await page({ startIndex: 2, count: 1 })).toEqual([3, 2, 1]);
    expect(await page({ startIndex: 0, count: 2 })).toEqual([3, 1, 2]);
    expect(await page({ startIndex: -5 })).toEqual([3, 1, 3]);
    expect(await page({ count: 0 })).toEqual([3, 1, 0]);
    expect(await page({ count: -1 })).toEqual([3, 1, 0]);
    expect(await page({ startIndex: 10 })).toEqual([3, 10, 0]);
    expect(await page({ startIndex: '999999999999999', count: '999999999999999' })).toMatchObject([
      3,
      expect.any(Number),
      0,
    ]);
    for (const count of ['x', '1.5', '']) await list({ count }).expect(400);
  });

  it('shows the attributes that are asked for', async () => {
    const one = async (query: Record<string, string>) =>
      (await list({ filter: 'userName eq "anna@list.test"', ...query }).expect(200)).body.Resources[0];
    const always = { schemas: [CORE, ENTERPRISE], id: ids[0] };
    expect(await one({ attributes: 'USERNAME, name.givenName,emails.value,unknown' })).toEqual({
      ...always,
      userName: 'anna@list.test',
      name: { givenName: 'Anna' },
      emails: [{ value: 'anna@work.test' }, { value: 'anna@home.test' }],
    });
    expect(await one({ attributes: `${ENTERPRISE}:department` })).toEqual({
      ...always,
      [ENTERPRISE]: { department: 'R&D' },
    });
    expect(await one({ attributes: 'password' })).toEqual(always);
    expect(await one({ attributes: 'name,name.givenName' })).toMatchObject({ name: PEOPLE[0]!.name });
    const rest = await one({ excludedAttributes: 'id,schemas,emails,name.familyName,meta' });
    expect(rest).toMatchObject({ ...always, name: { givenName: 'Anna' }, title: 'Engineer' });
    for (const gone of ['emails', 'meta']) expect(rest).not.toHaveProperty(gone);
    expect(rest.name).not.toHaveProperty('familyName');
    await list({ attributes: 'id', excludedAttributes: 'name' }).expect(400);
    const byId = await app.api.get(`${USERS}/${ids[0]}?attributes=userName`).set({ authorization: second }).expect(200);
    expect(byId.body).toEqual({ ...always, userName: 'anna@list.test' });
  });

  it('is also the answer to a search', async () => {
    const search = (body: object) =>
      app.api
        .post(`${USERS}/.search`)
        .set({ authorization: second, 'content-type': 'application/scim+json' })
        .send(JSON.stringify(body));
    const schemas = ['urn:ietf:params:scim:api:messages:2.0:SearchRequest'];
    const response = await search({
      schemas,
      filter: 'title pr',
      attributes: ['userName'],
      sortBy: 'userName',
      startIndex: 2,
      COUNT: 1,
    }).expect(200);
    expect(response.body).toMatchObject({ totalResults: 2, startIndex: 2, itemsPerPage: 1 });
    expect(response.body.Resources).toEqual([{ schemas: expect.any(Array), id: ids[1], userName: 'Bob@list.test' }]);
    await search({ schemas, filter: 'x' }).expect(400);
    await search({ schemas: ['other'] }).expect(400);
    await search({ schemas, filter: { $gt: '' } }).expect(400);
  });
});
