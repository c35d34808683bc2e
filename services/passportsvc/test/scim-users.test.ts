import { beforeAll, describe, expect, it } from '@jest/globals';
import { useApp } from './start-app.js';
import { asApp, asUser } from './tokens.js';

const USERS = '/passportsvc/api/v1/scim/Users';
const CORE = 'urn:ietf:params:scim:schemas:core:2.0:User';
const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';

const app = useApp();
let trusted: string;

beforeAll(async () => {
  trusted = await asApp(app);
});

describe('SCIM users', () => {
  const post = (user: unknown, authorization = trusted) =>
    app.send('post', USERS, authorization, JSON.stringify(user)).set({ 'content-type': 'application/scim+json' });

  it('rejects unknown attributes under Prefer: handling=strict', async () => {
    const user = { USERNAME: 'strict@platform.test', name: { givenName: 'S' }, [ENTERPRISE]: { department: 'D' } };
    const strictly = (sent: object) => post(sent).set('prefer', 'handling=strict');
    const rejected = await strictly({ ...user, nickname: 'x', [ENTERPRISE]: { departments: 'D' } }).expect(400);
    expect(rejected.body.detail).toContain('`departments` (did you mean `department`?)');
    expect(rejected.body.detail).not.toContain('nickname');
    const { body } = await strictly(user).expect(201);
    const path = `${USERS}/${body.id}`;
    await app.send('put', path, trusted, body).set({ prefer: 'handling=strict' }).expect(200);
    const patch = (value: object, prefer = '') =>
      app.send('patch', path, trusted, { Operations: [{ op: 'replace', value }] }).set({ prefer });
    await patch({ id: body.id, DisplayName: 'S', 'name.familyName': 'T' }, 'handling=strict').expect(200);
    const misspelt = await patch({ displayname: 'S', nickNames: 'x' }, 'handling=strict').expect(400);
    expect(misspelt.body.detail).toContain('`nickNames` (did you mean `nickName`?)');
  });

  it('creates and shows users as in RFC 7643, without their password', async () => {
    const sent = {
      schemas: [CORE],
      userName: 'Anna@Platform.test',
      externalId: 'a-1',
      emails: [{ value: 'anna@work.test', type: 'work', primary: true }],
      displayName: 'Anna',
      name: { givenName: 'Anna', familyName: 'Adams' },
      locale: 'de-DE',
      password: 'the password of Anna',
    };
    const response = await post(sent).expect(201);
    const { password: _password, ...shown } = sent;
    expect(response.headers['content-type']).toMatch(/^application\/scim\+json/);
    expect(response.body).toEqual({
      ...shown,
      id: expect.stringMatching(/^[0-9a-f]{24}$/),
      active: true,
      meta: {
        ...{ resourceType: 'User', created: expect.any(String), lastModified: expect.any(String) },
        ...{ location: `${app.url}${USERS}/${response.body.id}`, version: response.headers.etag },
      },
    });
    expect(response.headers.location).toBe(response.body.meta.location);
    const again = await app.send('get', `${USERS}/${response.body.id}`, trusted).expect(200);
    expect(again.body).toEqual(response.body);
    expect(again.headers.etag).toBe('W/"0"');
    const ifChanged = { authorization: trusted, 'if-none-match': 'W/"0"' };
    await app.api.get(`${USERS}/${response.body.id}`).set(ifChanged).expect(304);
    await expect(asUser(app, { userName: 'anna@platform.TEST', password: sent.password })).resolves.toMatch(/^Bearer /);
  });

  it('accepts application/json and attribute names in any case', async () => {
    const sent = { username: 'lower@platform.test', EMAILS: [{ Value: 'l@x.test' }], NAME: { givenname: 'L' } };
    const { body } = await app.send('post', USERS, trusted, { ...sent, displayName: null }).expect(201);
    const shown = { userName: 'lower@platform.test', emails: [{ value: 'l@x.test' }], name: { givenName: 'L' } };
    expect(body).toMatchObject(shown);
  });

  it('rejects a taken user name in any case, also under concurrent requests', async () => {
    await post({ userName: 'unique@platform.test' }).expect(201);
    const { body, headers } = await post({ userName: 'UNIQUE@Platform.test' }).expect(409);
    expect(headers['content-type']).toMatch(/^application\/scim\+json/);
    const schemas = ['urn:ietf:params:scim:api:messages:2.0:Error'];
    expect(body).toEqual({ schemas, status: '409', scimType: 'uniqueness', detail: expect.any(String) });
    const responses = await Promise.all(Array.from({ length: 4 }, () => post({ userName: 'raced@platform.test' })));
    expect(responses.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409]);
  });

  describe('a name in another spelling', () => {
    const name = 'Zoë.ǰ-οδος@Platform.test';
    const password = 'the password of Zoë';
    let id: string;
    const find = async (filter: string) =>
      (await app.api.get(USERS).query({ filter }).set({ authorization: trusted }).expect(200)).body
        .totalResults as number;

    beforeAll(async () => {
      const sent = { userName: `\u2003${name}\n`, password, emails: [{ value: `\t${name} `, type: 'work' }] };
      const { body } = await post(sent).expect(201);
      expect(body).toMatchObject({ userName: name, emails: [{ value: name }] });
      id = body.id;
    });

    it.each([
      ['white space', ` \u00a0${name}\u3000\ufeff`],
      ['a next line', `${name}\u0085`],
      ['upper case', name.toUpperCase()],
      ['decomposed letters', name.normalize('NFD')],
      ['decomposed upper case', name.toUpperCase().normalize('NFD')],
      ['invisible characters', `\u200b ${name.slice(0, 3)}\u200d\u2060${name.slice(3)}\u00ad`],
    ])('is the same user everywhere with %s', async (_, same) => {
      await post({ userName: same }).expect(409);
      for (const path of ['userName', 'emails']) expect(await find(`${path} eq ${JSON.stringify(same)}`)).toBe(1);
      expect(await find(`emails[value eq ${JSON.stringify(same)}]`)).toBe(1);
      await expect(asUser(app, { userName: same, password })).resolves.toMatch(/^Bearer /);
      const owned = { _name: 'Zoë', _shortName: `zoe-${Math.random()}`, _appOwner: same, _orgId: app.orgId };
      const made = { ...owned, _redirectUris: 'https://zoe.test/' };
      await app.send('post', '/passportsvc/api/v1/apps', trusted, made).expect(201);
      const other = await post({ userName: `other-${Math.random()}@platform.test` }).expect(201);
      const url = `${USERS}/${other.body.id}`;
      const Operations = [{ op: 'replace', path: 'userName', value: same }];
      await app.send('put', url, trusted, { userName: same }).expect(409);
      await app.send('patch', url, trusted, { Operations }).expect(409);
    });

    it('belongs to another user with other letters', async () => {
      await post({ userName: name.replace('ë', 'e') }).expect(201);
      expect(await find(`userName co "οδοσ@"`)).toBe(2);
      expect(await find(`userName sw " "`)).toBe(0);
      await expect(asUser(app, { userName: `x${name}`, password })).rejects.toThrow();
      await app.send('delete', `${USERS}/${id}`, trusted).expect(204);
    });
  });

  it.each([
    ['nothing', undefined],
    ['a user name of white space', { userName: '\u00a0\t\u3000' }],
    ['a user name that nobody sees', { userName: '\u200b\ufeff' }],
    ['an address of white space', { userName: 'x', emails: [{ value: ' ' }] }],
    ['an empty password', { userName: 'x', password: '' }],
    ['a short password of long characters', { userName: 'x', password: '🔑🔑🔑🔑🔑🔑' }],
    ['a long password', { userName: 'x', password: 'x'.repeat(1025) }],
    ['another schema', { schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'], userName: 'x' }],
    ['an address without a value', { userName: 'x', emails: [{ type: 'work' }] }],
  ])('rejects %s with a SCIM error', async (_, user) => {
    const response = await post(user).expect(400);
    expect(response.body).toMatchObject({ schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'], status: '400' });
    expect(response.headers['content-type']).toMatch(/^application\/scim\+json/);
  });

  it('explains what is wrong with a user name or password', async () => {
    const nul = await post({ userName: 'a\0b' }).expect(400);
    expect(nul.body.detail).toContain('contains the character NUL');
    const short = await post({ userName: 'x', password: 'nine char' }).expect(400);
    expect(short.body.detail).toContain('must have at least 10 characters');
  });
});
