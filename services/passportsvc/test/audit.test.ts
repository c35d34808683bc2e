import { beforeAll, describe, expect, it } from '@jest/globals';
import { newUser } from './page-client.js';
import { REDIRECT_URI, useApp } from './start-app.js';
import { asApp, asUser, tokensFor } from './tokens.js';

const API = '/passportsvc/api/v1';

const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';

describe('the audit log', () => {
  const app = useApp();
  let trusted: string;
  let admin: string;

  const list = async (query: Record<string, string | number>, by = trusted) =>
    (await app.send('get', `${API}/audit`, by).query(query).expect(200)).body as {
      _list: Record<string, unknown>[];
      _total: number;
    };

  beforeAll(async () => {
    [trusted, admin] = await Promise.all([asApp(app), asUser(app)]);
  });

  it('names the caller, the resources and the outcome of each call that writes, also if it fails', async () => {
    const nobody = '0'.repeat(24);
    const owner = await newUser(app);
    const wanted = { _name: 'Audited', _appOwner: owner.userName, _orgId: app.orgId, _redirectUris: REDIRECT_URI };
    const create = () => app.send('post', `${API}/apps`, admin, wanted).set('Idempotency-Key', 'one-app').expect(201);
    const { body } = await create();
    await create();
    await app.send('delete', `${API}/users/${nobody}/sessions`, admin).expect(404);
    await app.send('get', `${API}/apps/${body._id}`, admin).expect(200);
    const { _id: adminId } = (await app.send('get', `${API}/users/me`, admin)).body;
    const entry = { _byId: adminId, _byName: expect.any(String), _appId: expect.any(String), _orgId: app.orgId };
    expect((await list({ _byId: adminId, _pageSize: 2, _operation: 'apps.create' }))._list).toEqual([
      expect.objectContaining({ ...entry, _resourceIds: [body._id], _status: 201 }),
    ]);
    expect((await list({ _resourceId: nobody }))._list).toEqual([
      expect.objectContaining({ ...entry, _operation: 'sessions.endAll', _status: 404 }),
    ]);
    expect((await list({ _resourceId: body._id }))._total).toBe(1);
  });

  it('has sign-ins, right and wrong, but no typed names and no passwords', async () => {
    const user = await newUser(app);
    const password = '0123456789abcdef01234567';
    const change = { schemas: [PATCH], Operations: [{ op: 'replace', path: 'password', value: password }] };
    await app.send('patch', `${API}/scim/Users/${user.id}`, trusted, change).expect(200);
    expect((await list({ _resourceId: password }))._total).toBe(0);
    user.password = password;
    const from = Date.now();
    await tokensFor(app, user);
    const wrong = { ...user, password: 'wrong' };
    for (const attempt of [wrong, { ...wrong, userName: 'my-secret-password' }])
      await expect(tokensFor(app, attempt)).rejects.toThrow();
    const { _list } = await list({ _operation: 'signIn', _from: from });
    const seen = _list.map(({ _byId, _status }) => [_byId, _status].join(' '));
    expect(seen).toEqual(['platform 401', `${user.id} 401`, `${user.id} 200`]);
    expect(JSON.stringify(_list)).not.toContain('my-secret-password');
    expect((await list({ _operation: 'signIn', _from: from, _to: from }))._list).toEqual([]);
  });

  it('shows apps the entries of their organization', async () => {
    const second = await asApp(app, app.second);
    await app.send('delete', `${API}/users/${'0'.repeat(24)}/sessions`, second).expect(404);
    const whole = { _pageSize: 1000 };
    const organizations = async (by: string) =>
      new Set((await list({ ...whole, _orgId: app.orgId }, by))._list.map(({ _orgId }) => _orgId));
    expect(await organizations(second)).toEqual(new Set(['second-org']));
    expect(await organizations(await asApp(app, app.shortLived))).toEqual(new Set([app.orgId]));
    expect((await list({ ...whole, _orgId: 'second-org' }))._list.map(({ _byId }) => _byId)).toEqual([app.second.id]);
  });
});
