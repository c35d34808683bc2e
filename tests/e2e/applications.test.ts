import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { clientCredentials } from '@dtplatform/stack/client';
import { eventually } from '@dtplatform/testing';
import { enter, openWorkspace } from './support/people.js';
import { dev, send } from './support/platform.js';

const USERS = '/passportsvc/api/v1/scim/Users';

const tokenOf = async (app: { appId: string; appSecret: string }) =>
  (await clientCredentials({ ...dev, ...app })).access_token;

const newUser = () => {
  const email = `${randomBytes(6).toString('hex')}@example.com`;
  const schemas = ['urn:ietf:params:scim:schemas:core:2.0:User'];
  return { schemas, userName: email, password: randomBytes(18).toString('base64url'), active: true };
};

describe('an application of another organization', () => {
  it('creates its own users, and sees neither users nor applications of others', async () => {
    const [ours, theirs] = await Promise.all([tokenOf(dev), tokenOf(dev.second)]);
    const created = await send('POST', USERS, { token: theirs, json: newUser() });
    expect(created.status).toBe(201);
    expect((await send('GET', `${USERS}/${created.body.id}`, { token: theirs })).status).toBe(200);

    const ourUser = await send('POST', USERS, { token: ours, json: newUser() });
    expect((await send('GET', `${USERS}/${ourUser.body.id}`, { token: theirs })).status).toBe(404);
    expect((await send('GET', `/passportsvc/api/v1/apps/${dev.appId}`, { token: theirs })).status).toBe(404);
    expect((await send('GET', `/passportsvc/api/v1/apps/${dev.second.appId}`, { token: theirs })).status).toBe(200);
  });

  it('is not trusted: it has no permissions in namespaces of others, and may not call endpoints for services', async () => {
    const owner = await enter();
    const namespace = await openWorkspace(owner);
    const token = await tokenOf(dev.second);
    const files = await send('GET', '/filesvc/api/v1/files', { token, query: { nsfilter: namespace } });
    expect(files).toMatchObject({ status: 200, body: { _list: [], _total: 0 } });
    const json = { _user: { _type: 'user', _id: owner.id } };
    const asked = await send('POST', '/objectmodelsvc/api/v1/permissions/namespaces', { token, json });
    expect(asked.status).toBe(403);
  });

  it('registers an application, whose secret is shown once and works', async () => {
    const token = await tokenOf(dev.second);
    const owner = newUser();
    await send('POST', USERS, { token, json: { ...owner, emails: [{ value: owner.userName, primary: true }] } });
    const name = `app-${randomBytes(4).toString('hex')}`;
    const json = { _name: name, _appOwner: owner.userName, _redirectUris: dev.redirectUri, _orgId: dev.second.orgId };
    const created = await send('POST', '/passportsvc/api/v1/apps/', { token, json });
    expect(created).toMatchObject({ status: 201, body: { _name: name, _shortName: name, _orgId: dev.second.orgId } });
    const { _id: appId, _secret: appSecret } = created.body as { _id: string; _secret: string };

    const own = await tokenOf({ appId, appSecret });
    const shown = await send('GET', `/passportsvc/api/v1/apps/${appId}`, { token: own });
    expect(shown.status).toBe(200);
    expect(shown.body).not.toHaveProperty('_secret');
  });
});

it('rejects an ordinary user who creates users or applications', async () => {
  const { token } = await enter();
  expect((await send('POST', USERS, { token, json: newUser() })).status).toBe(403);
  const json = { _name: 'a', _appOwner: dev.admin.email, _redirectUris: dev.redirectUri, _orgId: dev.orgId };
  expect((await send('POST', '/passportsvc/api/v1/apps/', { token, json })).status).toBe(403);
});

it('rejects an expired token in every service', async () => {
  const token = await tokenOf(dev.shortLived);
  await eventually(async () => {
    const query = { nsfilter: 'none' };
    const paths = ['/filesvc/api/v1/files', '/itemsvc/api/v1/nameduseritems', '/datasourcesvc/api/v1/orchestrators'];
    const responses = await Promise.all(paths.map((path) => send('GET', path, { token, query })));
    expect(responses.map(({ status }) => status)).toEqual([401, 401, 401]);
    expect(responses[0]!.headers.get('www-authenticate')).toContain('error="invalid_token"');
  });
});

it('allows the page of a developer to call and to read response headers', async () => {
  const origin = 'http://localhost:5173';
  const asked = { origin, 'access-control-request-method': 'PATCH', 'access-control-request-headers': 'authorization' };
  const preflight = await send('OPTIONS', '/filesvc/api/v1/files/1', { headers: asked });
  expect(preflight.status).toBe(204);
  expect(preflight.headers.get('access-control-allow-origin')).toBe(origin);
  expect(preflight.headers.get('access-control-allow-methods')).toContain('PATCH');
  const reply = await send('GET', '/filesvc/api/v1/openapi.json', { headers: { origin } });
  expect(reply.headers.get('access-control-expose-headers')).toMatch(/Upload-Offset/i);
  const stranger = await send('GET', '/filesvc/api/v1/openapi.json', { headers: { origin: 'https://evil.example' } });
  expect(stranger.headers.get('access-control-allow-origin')).toBeNull();
});
