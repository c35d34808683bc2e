import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApp } from './start-app.js';
import type { TestApp } from './start-app.js';
import { asApp, asUser } from './tokens.js';

const API = '/passportsvc/api/v1';
const FORM = 'application/x-www-form-urlencoded';

describe('text', () => {
  let app: TestApp;
  let trusted: string;
  let user: string;
  beforeAll(async () => {
    app = await startApp();
    trusted = await asApp(app);
    user = await asUser(app);
  });
  afterAll(() => app.stop());

  const send = (path: string, authorization: string, body: string) =>
    app.api.post(`${API}${path}`).set({ authorization, 'content-type': 'application/json' }).send(body);

  it.each(['/oauth/authorize', '/account'])('that is not UTF-8 in the query of %s is a 400', async (path) => {
    for (const query of ['stray=caf%E9', 'stray=%ED%A0%80', 'stray=a%00b', '%FF=1', 'stray=%']) {
      const reply = await app.api.get(`${API}${path}?${query}`).set({ authorization: trusted });
      expect([query, reply.status]).toEqual([query, 400]);
    }
  });

  it.each(['userName eq "a\\ud800"', 'userName eq "a\\u0000"', 'meta.created gt 9007199254740993'])(
    'that cannot be kept in the filter %s is a 400',
    async (filter) => {
      const reply = await app.api.get(`${API}/scim/Users`).query({ filter }).set({ authorization: trusted });
      expect([reply.status, reply.body.scimType]).toEqual([400, 'invalidFilter']);
    },
  );

  it.each([
    [FORM, 'grant_type=client_credentials&client_id=caf%E9'],
    [FORM, Buffer.from('grant_type=client_credentials&client_id=café', 'latin1').toString('latin1')],
    [FORM, 'grant_type=client_credentials&client_id=a%00'],
    [
      'multipart/form-data; boundary=b',
      '--b\r\nContent-Disposition: form-data; name="client_id"\r\n\r\ncaf\xe9\r\n--b--\r\n',
    ],
  ])('that is not UTF-8 in a form (%s) is refused', async (type, body) => {
    const request = app.api.post('/passportsvc/api/v2/oauth/token').set({ 'content-type': type });
    const reply = await request.serialize(() => Buffer.from(body, 'latin1') as never).send({});
    expect([reply.status, reply.body.error]).toEqual([400, 'invalid_request']);
  });

  it('finds no number that is another one', async () => {
    const attributes = { _userAttributes: { n: 9007199254740992 } };
    await send('/workspaces', user, JSON.stringify([{ _name: 'numbers', ...attributes }])).expect(201);
    const totalFor = async (n: string) => {
      const query = { '_userAttributes.n': n, _name: 'numbers' };
      return (await app.api.get(`${API}/workspaces`).query(query).set({ authorization: user })).body._total as number;
    };
    expect([await totalFor('9007199254740992'), await totalFor('9007199254740993')]).toEqual([1, 0]);
  });

  it.each(['/workspaces', '/usergroups'])(
    'may have a rare character where a namespace is cut: POST %s',
    async (path) => {
      const names = Array.from({ length: 4 }, (_, index) => ({ _name: `${'x'.repeat(37 + index)}𠮷😀` }));
      const { body } = await send(path, user, JSON.stringify(names)).expect(201);
      expect(body._list.map(({ _namespaces }: { _namespaces: string[] }) => _namespaces.join())).not.toContainEqual(
        expect.stringMatching(/\p{Surrogate}/u),
      );
    },
  );

  it('may have a rare character where the namespace of an app is cut', async () => {
    await send('/scim/Users', trusted, '{"userName": "olga@platform.test"}').expect(201);
    const owned = { _appOwner: 'olga@platform.test', _orgId: app.orgId, _redirectUris: 'https://app.test/cb' };
    const wanted = { _name: `${'x'.repeat(39)}𠮷😀`, ...owned };
    await send('/apps', trusted, JSON.stringify(wanted)).expect(201);
  });
});
