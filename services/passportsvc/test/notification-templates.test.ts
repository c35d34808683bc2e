import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { REDIRECT_URI, startApp } from './start-app.js';
import type { TestApp } from './start-app.js';
import { asApp, asUser, claimsOf } from './tokens.js';

const API = '/passportsvc/api/v1';
const TEMPLATES = `${API}/notification_templates`;
const INVITE = 'USER_GROUP_INVITE';

describe('notification templates', () => {
  let app: TestApp;
  let trusted: string;
  /** An app that is not trusted, its owner, and another user of it. */
  let client: { id: string; secret: string };
  let asClient: string;
  let owner: string;
  let user: string;

  const list = (authorization: string, query: object = { _name: INVITE }) =>
    app.api.get(TEMPLATES).set({ authorization }).query(query);
  const get = (id: string, authorization: string) => app.api.get(`${TEMPLATES}/${id}`).set({ authorization });
  const put = (id: string, authorization: string, body: object) =>
    app.api.put(`${TEMPLATES}/${id}`).set({ authorization }).send(body);
  const templateOf = async (authorization: string, _name = INVITE) =>
    (await list(authorization, { _name }).expect(200)).body._list[0] as { _id: string; _title: string };
  const change = { _name: INVITE, _title: 'Welcome to $!{name}', _message: '<p>Hello ${name}: ${invite_link}</p>' };

  async function newUser(name: string) {
    const found = { userName: `${name}@platform.test`, password: `the password of ${name}` };
    const body = { ...found, emails: [{ value: found.userName, primary: true }] };
    await app.api.post(`${API}/scim/Users`).set({ authorization: trusted }).send(body).expect(201);
    return found;
  }

  beforeAll(async () => {
    app = await startApp();
    trusted = await asApp(app);
    const [olga, ben] = [await newUser('olga'), await newUser('ben')];
    const wanted = { _name: 'Viewer', _appOwner: olga.userName, _orgId: app.orgId, _redirectUris: REDIRECT_URI };
    const { body } = await app.api.post(`${API}/apps`).set({ authorization: trusted }).send(wanted).expect(201);
    client = { id: body._id as string, secret: body._secret as string };
    asClient = await asApp(app, client);
    owner = await asUser(app, olga, client);
    user = await asUser(app, ben, client);
  });
  afterAll(() => app.stop());

  it.each([INVITE, 'USER_GROUP_INVITE_REMINDER'])('exist for each app from the start: %s', async (_name) => {
    for (const [authorization, appId] of [
      [user, client.id],
      [asClient, client.id],
      [trusted, app.trusted.id],
    ] as const) {
      const { body } = await list(authorization, { _name }).expect(200);
      expect(body).toEqual({
        _offset: 0,
        _pageSize: 25,
        _total: 1,
        _list: [
          {
            _id: expect.stringMatching(/^[0-9a-f]{24}$/),
            _name,
            _title: expect.any(String),
            _locale: 'en',
            _message: expect.stringContaining('${invite_link}'),
            _format: 'text/html',
            _appId: appId,
            _metadata: { _createdAt: expect.any(Number), _updatedAt: expect.any(Number), _updatedById: 'platform' },
          },
        ],
      });
    }
  });

  it('are made once, also by many first calls at the same time', async () => {
    const { appId: id, appSecret: secret } = app.dev.second;
    const other = await asApp(app, { id, secret });
    const responses = await Promise.all(Array.from({ length: 8 }, () => list(other)));
    expect(responses.map(({ status, body }) => [status, body._total])).toEqual(
      Array.from({ length: 8 }, () => [200, 1]),
    );
    expect(new Set(responses.map(({ body }) => body._list[0]._id)).size).toBe(1);
  });

  it('are paged', async () => {
    expect((await list(user, { _name: INVITE, _pageSize: 0 }).expect(200)).body).toMatchObject({
      _total: 1,
      _list: [],
    });
    expect((await list(user, { _name: INVITE, _offset: 1 }).expect(200)).body).toMatchObject({ _total: 1, _list: [] });
    expect((await list(user, { _name: INVITE, _pageSize: 5000 }).expect(200)).body._pageSize).toBe(1000);
    for (const wrong of [{ _pageSize: 'x' }, { _offset: '-1' }])
      await list(user, { _name: INVITE, ...wrong }).expect(400);
  });

  it('are listed by a name', async () => {
    for (const query of [{}, { _name: '' }, { _name: 'PASSWORD_RESET' }, { _name: ['a', 'b'] }]) {
      const { body } = await list(user, query).expect(400);
      expect(body.errors).toEqual([{ location: 'query._name', message: expect.any(String) }]);
    }
    await app.api.get(TEMPLATES).query({ _name: INVITE }).expect(401);
  });

  it('are read by id with an entity tag, by those of the app only', async () => {
    const template = await templateOf(user);
    const response = await get(template._id, user).expect(200);
    expect(response.body).toEqual(template);
    expect(response.headers.etag).toBe('"0"');
    const { appId: id, appSecret: secret } = app.dev.second;
    await get(template._id, await asApp(app, { id, secret })).expect(404);
    // The platform's own callers see all.
    await get(template._id, trusted).expect(200);
    await get(template._id, await asUser(app)).expect(200);
    await get('6b01e9fb590ff35d0952a9ce', user).expect(404);
    await get('nonsense', user).expect(404);
  });

  it('are changed by the owner of the app, the app itself and administrators', async () => {
    const { _id } = await templateOf(owner);
    const { body } = await put(_id, owner, { ...change, stray: 1, _appId: 'other' }).expect(200);
    expect(body).toMatchObject({ _id, ...change, _locale: 'en', _format: 'text/html', _appId: client.id });
    expect(body._metadata._updatedById).toBe(claimsOf(owner).sub);
    await put(_id, asClient, { ...change, _locale: 'pt-BR', _format: 'text/plain' }).expect(200);
    const byAdmin = await put(_id, await asUser(app), { ...change, _title: 'By the administrator' }).expect(200);
    expect(byAdmin.body).toMatchObject({ _title: 'By the administrator', _locale: 'pt-BR', _format: 'text/plain' });
    expect((await list(user).expect(200)).body).toMatchObject({
      _total: 1,
      _list: [{ _title: 'By the administrator' }],
    });
  });

  it('are not changed by others', async () => {
    const template = await templateOf(user);
    await put(template._id, user, change).expect(403);
    const { appId: id, appSecret: secret } = app.dev.second;
    await put(template._id, await asApp(app, { id, secret }), change).expect(404);
    await app.api.put(`${TEMPLATES}/${template._id}`).send(change).expect(401);
    await put('6b01e9fb590ff35d0952a9ce', owner, change).expect(404);
    expect(await templateOf(user)).toEqual(template);
  });

  it('are changed only as they were read', async () => {
    const { _id } = await templateOf(owner);
    const { etag } = (await get(_id, owner).expect(200)).headers;
    await put(_id, owner, change).set({ 'if-match': etag! }).expect(200);
    await put(_id, owner, change).set({ 'if-match': etag! }).expect(412);
  });

  it.each([
    ['no title', { _title: undefined }, '_title'],
    ['a title of two lines', { _title: 'Hello\r\nBcc: eve@example.com' }, '_title'],
    ['a title of spaces', { _title: '  ' }, '_title'],
    ['a long title', { _title: 'x'.repeat(256) }, '_title'],
    ['a directive in the title', { _title: '#if($a)' }, '_title'],
    ['no message', { _message: undefined }, '_message'],
    ['an empty message', { _message: '' }, '_message'],
    ['a long message', { _message: 'x'.repeat(64 * 1024 + 1) }, '_message'],
    ['a number as message', { _message: 1 }, '_message'],
    ['no name', { _name: undefined }, '_name'],
    ['an unknown name', { _name: 'PASSWORD_RESET' }, '_name'],
    ['no language', { _locale: 'e' }, '_locale'],
    ['an operator as language', { _locale: { $ne: 1 } }, '_locale'],
    ['another format', { _format: 'text/markdown' }, '_format'],
  ])('refuse %s', async (_what, wrong, field) => {
    const { _id } = await templateOf(owner);
    const { body } = await put(_id, owner, { ...change, ...wrong }).expect(400);
    expect(body.errors).toEqual([{ location: `body.${field}`, message: expect.any(String) }]);
  });

  it.each([
    ...['#set($x = 1)', '#if($a)', '#elseif($a)', '#else', '#end', '#foreach($a in $b)', '#macro(a)', '#parse("a")'],
    ...['#include("/etc/passwd")', '#evaluate($a)', '#define($a)', '#break', '#stop', '#{else}', 'a#end', '##set($x)'],
  ])('refuse the directive %s', async (directive) => {
    const { _id } = await templateOf(owner);
    const { body } = await put(_id, owner, { ...change, _message: `<p>${directive}</p>` }).expect(400);
    expect(body.errors[0].message).toContain('directives');
  });

  it.each(['#fafafa', '<a href="#endpoint">', '#iframe', '#settings', '# if', '$name', '#'])(
    'take %s as text',
    async (text) => {
      const { _id } = await templateOf(owner);
      await put(_id, owner, { ...change, _message: text }).expect(200);
    },
  );

  it('keep their occasion', async () => {
    const { _id } = await templateOf(owner);
    const { body } = await put(_id, owner, { ...change, _name: 'USER_GROUP_INVITE_REMINDER' }).expect(400);
    expect(body.code).toBe('TEMPLATE_RENAMED');
  });

  it('nest elements up to 100 levels', async () => {
    const { _id } = await templateOf(owner);
    const nested = (levels: number) => ({
      ...change,
      _message: `${'<div>'.repeat(levels)}\${name}${'</div>'.repeat(levels)}`,
    });
    await put(_id, owner, nested(100)).expect(200);
    for (const levels of [101, 5_000]) {
      const { body } = await put(_id, owner, nested(levels)).expect(400);
      expect(body.errors).toMatchObject([{ location: 'body._message' }]);
    }
    const unclosed = '<b>'.repeat(20_000);
    await put(_id, owner, { ...change, _message: unclosed }).expect(400);
    await put(_id, owner, { ...change, _message: '<p>One<br>'.repeat(500) }).expect(200);
  });
});
