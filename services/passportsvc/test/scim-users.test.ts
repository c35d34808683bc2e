import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sendTwice } from '@dtplatform/testing';
import { startApp } from './start-app.js';
import type { TestApp } from './start-app.js';
import { asApp, asUser } from './tokens.js';

const USERS = '/passportsvc/api/v1/scim/Users';
const USER = 'urn:ietf:params:scim:schemas:core:2.0:User';

describe('SCIM users', () => {
  let app: TestApp;
  let trusted: string;
  let second: string;
  const create = (user: unknown, authorization = trusted) =>
    app.api.post(USERS).set({ authorization, 'content-type': 'application/scim+json' }).send(JSON.stringify(user));

  beforeAll(async () => {
    app = await startApp();
    trusted = await asApp(app);
    second = await asApp(app, { id: app.dev.second.appId, secret: app.dev.second.appSecret });
  });
  afterAll(() => app.stop());

  it('are created once per idempotency key', async () => {
    await sendTwice(() => create({ userName: 'once@platform.test', password: 'the password of Once' }));
  });

  it('are refused with attributes that no schema has, if the caller prefers that', async () => {
    const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
    const user = { USERNAME: 'strict@platform.test', name: { givenName: 'S' }, [enterprise]: { department: 'D' } };
    const strictly = (sent: object) => create(sent).set('prefer', 'handling=strict');
    const refused = await strictly({ ...user, nickname: 'x', [enterprise]: { departments: 'D' } }).expect(400);
    expect(refused.body.detail).toContain('`departments` (did you mean `department`?)');
    expect(refused.body.detail).not.toContain('nickname');
    const { body } = await strictly(user).expect(201);
    const path = `${USERS}/${body.id}`;
    await app.api.put(path).set({ authorization: trusted, prefer: 'handling=strict' }).send(body).expect(200);
    const patch = (value: object, prefer = '') =>
      app.api
        .patch(path)
        .set({ authorization: trusted, prefer })
        .send({ Operations: [{ op: 'replace', value }] });
    await patch({ id: body.id, DisplayName: 'S', 'name.familyName': 'T' }, 'handling=strict').expect(200);
    const misspelt = await patch({ displayname: 'S', nickNames: 'x' }, 'handling=strict').expect(400);
    expect(misspelt.body.detail).toContain('`nickNames` (did you mean `nickName`?)');
  });

  it('are created and shown as in RFC 7643, without their password', async () => {
    const sent = {
      schemas: [USER],
      userName: 'Anna@Platform.test',
      externalId: 'a-1',
      emails: [{ value: 'anna@work.test', type: 'work', primary: true }],
      displayName: 'Anna',
      name: { givenName: 'Anna', familyName: 'Adams' },
      locale: 'de-DE',
      password: 'the password of Anna',
    };
    const response = await create(sent).expect(201);
    const { password: _password, ...shown } = sent;
    expect(response.headers['content-type']).toMatch(/^application\/scim\+json/);
    expect(response.body).toEqual({
      ...shown,
      id: expect.stringMatching(/^[0-9a-f]{24}$/),
      active: true,
      meta: {
        resourceType: 'User',
        created: expect.any(String),
        lastModified: expect.any(String),
        location: `${app.url}${USERS}/${response.body.id}`,
        version: response.headers.etag,
      },
    });
    expect(response.headers.location).toBe(response.body.meta.location);
    const again = await app.api.get(`${USERS}/${response.body.id}`).set({ authorization: trusted }).expect(200);
    expect(again.body).toEqual(response.body);
    expect(again.headers.etag).toBe('W/"0"');
    const ifChanged = { authorization: trusted, 'if-none-match': 'W/"0"' };
    await app.api.get(`${USERS}/${response.body.id}`).set(ifChanged).expect(304);
    await expect(asUser(app, { userName: 'anna@platform.TEST', password: sent.password })).resolves.toMatch(/^Bearer /);
  });

  it('are accepted as application/json, with attribute names in any case', async () => {
    const response = await app.api
      .post(USERS)
      .set({ authorization: trusted })
      .send({
        username: 'lower@platform.test',
        EMAILS: [{ Value: 'l@x.test' }],
        NAME: { givenname: 'L' },
        displayName: null,
      })
      .expect(201);
    expect(response.body).toMatchObject({
      userName: 'lower@platform.test',
      emails: [{ value: 'l@x.test' }],
      name: { givenName: 'L' },
    });
  });

  it('have unique user names regardless of case', async () => {
    await create({ userName: 'unique@platform.test' }).expect(201);
    const taken = await create({ userName: 'UNIQUE@Platform.test' }).expect(409);
    expect(taken.headers['content-type']).toMatch(/^application\/scim\+json/);
    expect(taken.body).toEqual({
      schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
      status: '409',
      scimType: 'uniqueness',
      detail: expect.any(String),
    });
    const responses = await Promise.all(Array.from({ length: 4 }, () => create({ userName: 'raced@platform.test' })));
    expect(responses.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409]);
  });

  describe('with a name that is written in another way', () => {
    const name = 'Zoë.ǰ-οδος@Platform.test';
    const password = 'the password of Zoë';
    let id: string;
    const find = async (filter: string) =>
      (await app.api.get(USERS).query({ filter }).set({ authorization: trusted }).expect(200)).body
        .totalResults as number;

    beforeAll(async () => {
      const sent = { userName: `\u2003${name}\n`, password, emails: [{ value: `\t${name} `, type: 'work' }] };
      const { body } = await create(sent).expect(201);
      expect(body).toMatchObject({ userName: name, emails: [{ value: name }] });
      id = body.id;
    });

    it.each([
      ['white space', ` \u00a0${name}\u3000\ufeff`],
      ['a next line', `${name}\u0085`],
      ['upper case', name.toUpperCase()],
      ['decomposed letters', name.normalize('NFD')],
      ['decomposed upper case', name.toUpperCase().normalize('NFD')],
      ['characters that nobody sees', `\u200b ${name.slice(0, 3)}\u200d\u2060${name.slice(3)}\u00ad`],
    ])('%s: it is the same user everywhere', async (_, same) => {
      await create({ userName: same }).expect(409);
      expect(await find(`userName eq ${JSON.stringify(same)}`)).toBe(1);
      expect(await find(`emails eq ${JSON.stringify(same)}`)).toBe(1);
      expect(await find(`emails[value eq ${JSON.stringify(same)}]`)).toBe(1);
      await expect(asUser(app, { userName: same, password })).resolves.toMatch(/^Bearer /);
      const owned = { _name: 'Zoë', _shortName: `zoe-${Math.random()}`, _appOwner: same, _orgId: app.orgId };
      await app.api
        .post('/passportsvc/api/v1/apps')
        .set({ authorization: trusted })
        .send({ ...owned, _redirectUris: 'https://zoe.test/' })
        .expect(201);
      const other = await create({ userName: `other-${Math.random()}@platform.test` }).expect(201);
      const changes = [{ op: 'replace', path: 'userName', value: same }];
      const url = `${USERS}/${other.body.id}`;
      await app.api.put(url).set({ authorization: trusted }).send({ userName: same }).expect(409);
      await app.api
        .patch(url)
        .set({ authorization: trusted })
        .send({ schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'], Operations: changes })
        .expect(409);
    });

    it('other letters make another user', async () => {
      await create({ userName: name.replace('ë', 'e') }).expect(201);
      expect(await find(`userName co "οδοσ@"`)).toBe(2);
      expect(await find(`userName sw " "`)).toBe(0);
      await expect(asUser(app, { userName: `x${name}`, password })).rejects.toThrow();
      await app.api.delete(`${USERS}/${id}`).set({ authorization: trusted }).expect(204);
    });
  });

  it.each([
    ['nothing', undefined],
    ['no user name', {}],
    ['an empty user name', { userName: ' ' }],
    ['a user name of white space', { userName: '\u00a0\t\u3000' }],
    ['a user name that nobody sees', { userName: '\u200b\ufeff' }],
    ['an address of white space', { userName: 'x', emails: [{ value: ' ' }] }],
    ['a user name with a NUL', { userName: 'a\0b' }],
    ['an empty password', { userName: 'x', password: '' }],
    ['a short password', { userName: 'x', password: 'nine char' }],
    ['a short password of long characters', { userName: 'x', password: '🔑🔑🔑🔑🔑🔑' }],
    ['a long password', { userName: 'x', password: 'x'.repeat(1025) }],
    ['another schema', { schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'], userName: 'x' }],
    ['an address without a value', { userName: 'x', emails: [{ type: 'work' }] }],
    ['a name that is a string', { userName: 'x', name: 'X' }],
    ['an array', [{ userName: 'x' }]],
  ])('are rejected with a SCIM error for %s', async (_, user) => {
    const response = await create(user).expect(400);
    expect(response.body).toMatchObject({ schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'], status: '400' });
    expect(response.headers['content-type']).toMatch(/^application\/scim\+json/);
  });

  it('say what is wrong with a user name or password', async () => {
    const nul = await create({ userName: 'a\0b' }).expect(400);
    expect(nul.body.detail).toContain('contains the character NUL');
    const short = await create({ userName: 'x', password: 'nine char' }).expect(400);
    expect(short.body.detail).toContain('must have at least 10 characters');
  });

  it('are rejected with a SCIM error when the body is not JSON', async () => {
    const response = await app.api
      .post(USERS)
      .set({ authorization: trusted, 'content-type': 'application/json' })
      .send('{');
    expect([response.status, response.body.status]).toEqual([400, '400']);
  });

  it('belong to the organization of the app that created them', async () => {
    const own = (await create({ userName: 'second@platform.test' }, second).expect(201)).body;
    const other = (await create({ userName: 'first@platform.test' }).expect(201)).body;
    const get = (id: string, authorization: string) => app.api.get(`${USERS}/${id}`).set({ authorization });
    await get(own.id, second).expect(200);
    await get(own.id, trusted).expect(200);
    await get(other.id, second).expect(404);
    const missing = await get('no-such-user', trusted).expect(404);
    expect(missing.body).toMatchObject({ status: '404' });
  });

  it('are accessible to apps and administrators, not to other users', async () => {
    const user = { userName: 'plain@platform.test', password: 'the password of a plain user' };
    await create(user).expect(201);
    const refused = await create({ userName: 'x@x.test' }, await asUser(app, user)).expect(403);
    expect(refused.body).toMatchObject({ schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'], status: '403' });
    await create({ userName: 'by-admin@platform.test' }, await asUser(app)).expect(201);
    const anonymous = await app.api.post(USERS).send({ userName: 'x' }).expect(401);
    expect(anonymous.body.status).toBe('401');
  });
});
