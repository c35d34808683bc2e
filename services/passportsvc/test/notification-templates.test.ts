import { beforeAll, describe, expect, it } from '@jest/globals';
import { appClient } from './app-client.js';
import { newUser } from './page-client.js';
import { useApp } from './start-app.js';
import { asApp, asUser, claimsOf } from './tokens.js';

const TEMPLATES = '/passportsvc/api/v1/notification_templates';
const INVITE = 'USER_GROUP_INVITE';

describe('notification templates', () => {
  const app = useApp();
  let trusted: string;
  /** An untrusted app, its owner, and another user of it. */
  let client: { id: string; secret: string };
  let asClient: string;
  let owner: string;
  let user: string;

  const list = (authorization: string, query: object = { _name: INVITE }) =>
    app.send('get', TEMPLATES, authorization).query(query);
  const put = (id: string, authorization: string, body: object) =>
    app.send('put', `${TEMPLATES}/${id}`, authorization, body);
  const templateOf = async (authorization: string, _name = INVITE) =>
    (await list(authorization, { _name }).expect(200)).body._list[0] as { _id: string; _title: string };
  const change = { _name: INVITE, _title: 'Welcome to $!{name}', _message: '<p>Hello ${name}: ${invite_link}</p>' };

  beforeAll(async () => {
    const apps = await appClient(app);
    trusted = apps.trusted;
    client = await apps.createApp();
    asClient = await asApp(app, client);
    owner = await asUser(app, apps.owner, client);
    user = await asUser(app, await newUser(app), client);
  });

  it.each([INVITE, 'USER_GROUP_INVITE_REMINDER'])('gives each app a template %s', async (_name) => {
    const apps = { [user]: client.id, [asClient]: client.id, [trusted]: app.trusted.id };
    for (const [authorization, _appId] of Object.entries(apps)) {
      const { body } = await list(authorization, { _name }).expect(200);
      const template = {
        ...{ _id: expect.stringMatching(/^[0-9a-f]{24}$/), _name, _appId, _locale: 'en', _format: 'text/html' },
        ...{ _title: expect.any(String), _message: expect.stringContaining('${invite_link}') },
        _metadata: { _createdAt: expect.any(Number), _updatedAt: expect.any(Number), _updatedById: 'platform' },
      };
      expect(body).toEqual({ _offset: 0, _pageSize: 25, _total: 1, _list: [template] });
    }
  });

  it('creates the templates once under concurrent first calls', async () => {
    const other = await asApp(app, app.second);
    const responses = await Promise.all(Array.from({ length: 8 }, () => list(other)));
    const [first] = responses;
    for (const { status, body } of responses) expect([status, body]).toEqual([200, { ...first!.body, _total: 1 }]);
  });

  it('lets the owner of the app, the app itself and administrators change a template', async () => {
    const { _id } = await templateOf(owner);
    const { body } = await put(_id, owner, { ...change, stray: 1, _appId: 'other' }).expect(200);
    expect(body).toMatchObject({ _id, ...change, _locale: 'en', _format: 'text/html', _appId: client.id });
    expect(body._metadata._updatedById).toBe(claimsOf(owner).sub);
    await put(_id, asClient, { ...change, _locale: 'pt-BR', _format: 'text/plain' }).expect(200);
    await put(_id, await asUser(app), { ...change, _title: 'By the administrator' }).expect(200);
    await put(_id, owner, change).set('if-match', '"0"').expect(412);
    const _list = [{ _title: 'By the administrator', _locale: 'pt-BR', _format: 'text/plain' }];
    expect((await list(user).expect(200)).body).toMatchObject({ _total: 1, _list });
  });

  it('lists the templates of an app for its owner and administrators', async () => {
    const of = (authorization: string, _appId = client.id) => list(authorization, { _name: INVITE, _appId });
    const { body } = await list(asClient).expect(200);
    for (const caller of [owner, trusted, await asUser(app)]) expect((await of(caller).expect(200)).body).toEqual(body);
    await of(await asApp(app, app.second)).expect(404);
    await of(trusted, 'unknown').expect(404);
  });

  it('previews a text without storing it, and sends a template as a test mail', async () => {
    const preview = (_format: string) =>
      app.send('post', `${TEMPLATES}/preview`, user, {
        ...change,
        _message: '<b>${name}</b> <i>$!{none}</i>',
        _format,
      });
    const html = {
      _subject: 'Welcome to Example group',
      _text: 'Example group',
      _html: '<b>Example group</b> <i></i>',
    };
    expect((await preview('text/html').expect(200)).body).toEqual(html);
    expect((await preview('text/plain').expect(200)).body._text).toBe('<b>Example group</b> <i></i>');
    const { _id: _templateId, _title } = await templateOf(asClient);
    const test = { _to: 'ann@example.com', _templateId };
    const sent = await app.send('post', '/passportsvc/api/v1/mails', trusted, test).expect(201);
    expect(sent.body._subject).toBe(_title.replace('$!{name}', 'Example group'));
    await app.send('post', '/passportsvc/api/v1/mails', trusted, { ...test, _templateId: '0'.repeat(24) }).expect(404);
  });

  it('rejects an invalid change, and one of the occasion', async () => {
    const { _id } = await templateOf(owner);
    const { body } = await put(_id, owner, { ...change, _message: '#stop' }).expect(400);
    expect(body.errors).toEqual([{ location: 'body._message', message: expect.stringContaining('directives') }]);
    const renamed = await put(_id, owner, { ...change, _name: 'USER_GROUP_INVITE_REMINDER' }).expect(400);
    expect(renamed.body.code).toBe('TEMPLATE_RENAMED');
  });
});
