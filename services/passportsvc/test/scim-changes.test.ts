import { beforeAll, describe, expect, it } from '@jest/globals';
import { CORE, PATCH, USERS, useScimUsers } from './scim-changes-client.js';
import { asApp, asUser } from './tokens.js';

describe('changes of SCIM users', () => {
  const { test, create, get, put, patch, remove } = useScimUsers();
  let second: string;
  const found = async (filter: string) =>
    (await test.app.api.get(USERS).query({ filter }).set({ authorization: test.authorization })).body as {
      totalResults: number;
      Resources: { id: string }[];
    };
  beforeAll(async () => {
    second = await asApp(test.app, { id: test.app.dev.second.appId, secret: test.app.dev.second.appSecret });
  });

  describe('by PUT', () => {
    it('replace all attributes, and keep the id and the password', async () => {
      const password = 'the password of the one who is replaced';
      const before = await create({ password, externalId: 'x', nickName: 'Annie' });
      const userName = `Renamed-${before.userName}`;
      const reply = await put(before.id, { schemas: [CORE], id: 'ignored', userName, name: { givenName: 'B' } }).expect(
        200,
      );
      expect(reply.body).toEqual({
        schemas: [CORE],
        id: before.id,
        userName,
        name: { givenName: 'B' },
        active: true,
        meta: { ...before.meta, lastModified: expect.any(String), version: 'W/"1"' },
      });
      expect(reply.headers.etag).toBe('W/"1"');
      await expect(asUser(test.app, { userName, password })).resolves.toMatch(/^Bearer /);
      expect((await found(`userName eq "${userName}"`)).totalResults).toBe(1);
      expect((await found(`nickName eq "annie"`)).totalResults).toBe(0);
    });

    it('may change the password', async () => {
      const { id, userName } = await create({ password: 'the old password' });
      await put(id, { userName, password: 'the new password' }).expect(200);
      await expect(asUser(test.app, { userName, password: 'the new password' })).resolves.toMatch(/^Bearer /);
      await expect(asUser(test.app, { userName, password: 'the old password' })).rejects.toThrow();
    });

    it('do not reactivate by leaving out active', async () => {
      const { id, userName } = await create({ active: false });
      expect((await put(id, { userName }).expect(200)).body.active).toBe(false);
    });

    it('keep user names unique', async () => {
      const [first, other] = [await create(), await create()];
      const reply = await put(other.id, { userName: first.userName.toUpperCase() }).expect(409);
      expect(reply.body).toMatchObject({ status: '409', scimType: 'uniqueness' });
      await patch(other.id, [{ op: 'replace', path: 'userName', value: first.userName }]).expect(409);
      await put(first.id, { userName: first.userName.toUpperCase() }).expect(200);
    });
  });

  it('need the entity tag that they name, weak or strong', async () => {
    const { id, userName } = await create();
    const title = [{ op: 'replace', path: 'title', value: 'T' }];
    await patch(id, title, { 'if-match': 'W/"0"' }).expect(200);
    await put(id, { userName }, { 'if-match': '"1"' }).expect(200);
    for (const tag of ['W/"0"', '"1"', 'nonsense']) {
      const refused = await patch(id, title, { 'if-match': tag }).expect(412);
      expect(refused.body).toMatchObject({ schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'], status: '412' });
      await put(id, { userName }, { 'if-match': tag }).expect(412);
      await remove(id, { 'if-match': tag }).expect(412);
    }
    await put(id, { userName }, { 'if-match': '*' }).expect(200);
    await remove(id, { 'if-match': 'W/"2"' }).expect(204);
  });

  it('show the attributes that are asked for', async () => {
    const { id, userName } = await create();
    const short = { schemas: [CORE], id, title: 'T' };
    const set = [{ op: 'replace', path: 'title', value: 'T' }];
    const asked = '?attributes=title';
    const send = (method: 'put' | 'patch') =>
      test.app.api[method](`${USERS}/${id}${asked}`).set({ authorization: test.authorization });
    expect(
      (
        await send('patch')
          .send({ schemas: [PATCH], Operations: set })
          .expect(200)
      ).body,
    ).toEqual(short);
    expect((await send('put').send({ userName, title: 'T' }).expect(200)).body).toEqual(short);
  });

  it('belong to the organization of the app, and only administrators and trusted clients change administrators', async () => {
    const { id } = await create();
    const operations = [{ op: 'replace', path: 'title', value: 'T' }];
    await patch(id, operations, { authorization: second }).expect(404);
    await put(id, { userName: 'x' }, { authorization: second }).expect(404);
    await remove(id, { authorization: second }).expect(404);
    await patch('missing', operations).expect(404);

    const short = { id: test.app.dev.shortLived.appId, secret: test.app.dev.shortLived.appSecret };
    const { Resources } = await found(`userName eq "${test.app.admin.userName}"`);
    const admin = Resources[0]!.id;
    const set = [{ op: 'replace', path: 'password', value: 'taken over by an app' }];
    await patch(admin, set, { authorization: await asApp(test.app, short) }).expect(403);
    await remove(admin, { authorization: await asApp(test.app, short) }).expect(403);
    await patch(admin, operations, { authorization: await asUser(test.app) }).expect(200);
  });

  it('end with a deletion', async () => {
    const { id, userName } = await create();
    await remove(id).expect(204);
    await get(id).expect(404);
    await remove(id).expect(404);
    await create({ userName });
  });
});
