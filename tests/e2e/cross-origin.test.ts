import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@dtplatform/testing';
import { enter, openWorkspace, trustedToken, type Person } from './support/people.js';
import { dev, send, SERVICES } from './support/platform.js';
import { uploadFile } from './support/resources.js';

const APPS = '/passportsvc/api/v1/apps/';

describe('a cross-origin page', () => {
  const name = `app-${randomBytes(4).toString('hex')}`;
  const origin = `https://${name}.example`;
  let owner: Person;
  let token: string;
  let id: string;

  const app = (_authorizedOrigins: string) => ({ _name: name, _redirectUris: dev.redirectUri, _authorizedOrigins });
  /** The origins that each service allows. */
  const allowed = () =>
    Promise.all(
      SERVICES.map(async (service) => {
        const headers = { origin, 'access-control-request-method': 'PUT' };
        const preflight = await send('OPTIONS', `/${service}/api/v1/anything`, { headers });
        return preflight.headers.get('access-control-allow-origin');
      }),
    );
  const all = (value: string | null) => SERVICES.map(() => value);
  const wait = { timeoutMs: 30_000 };

  beforeAll(async () => {
    [owner, token] = [await enter(), await trustedToken()];
    const json = { ...app(''), _appOwner: owner.email, _orgId: dev.orgId };
    const created = await send('POST', APPS, { token, json });
    expect(created.status).toBe(201);
    id = created.body._id as string;
  });

  it('may call every service while an application authorizes its origin', async () => {
    expect(await allowed()).toEqual(all(null));
    expect((await send('PUT', `${APPS}${id}`, { token, json: app(`${origin}/`) })).status).toBe(200);
    await eventually(async () => expect(await allowed()).toEqual(all(origin)), wait);

    // Responses, including errors, have the header; from each replica once it has loaded the list.
    const own = `/passportsvc/api/v1/users/${owner.id}`;
    await eventually(async () => {
      const read = await send('GET', own, { token: owner.token, headers: { origin } });
      const rejected = await send('GET', '/filesvc/api/v1/files', { query: { nsfilter: 'none' }, headers: { origin } });
      expect([read.status, rejected.status]).toEqual([200, 401]);
      for (const { headers } of [read, rejected]) expect(headers.get('access-control-allow-origin')).toBe(origin);
    }, wait);
    const stranger = await send('GET', own, { token: owner.token, headers: { origin: `${origin}.evil.example` } });
    expect(stranger.headers.get('access-control-allow-origin')).toBeNull();

    expect((await send('PUT', `${APPS}${id}`, { token, json: app('') })).status).toBe(200);
    await eventually(async () => expect(await allowed()).toEqual(all(null)), wait);
  });

  it('of a developer may call the local stack', async () => {
    const headers = { origin: 'http://localhost:5173' };
    const reply = await send('GET', '/filesvc/api/v1/openapi.json', { headers });
    expect(reply.headers.get('access-control-allow-origin')).toBe(headers.origin);
  });

  it('may read the content of a file by its signed URL, without an app that authorizes its origin', async () => {
    const nsfilter = await openWorkspace(owner);
    const file = await uploadFile(owner, nsfilter, { content: 'for pages' });
    const request = { token: owner.token, query: { nsfilter } };
    const { body } = await send('GET', `/filesvc/api/v1/files/${file}/url`, request);
    const content = await fetch(body._url as string, { headers: { origin } });
    expect(await content.text()).toBe('for pages');
    expect(['*', origin]).toContain(content.headers.get('access-control-allow-origin'));
  });
});
