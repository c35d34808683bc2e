import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sendTwice } from '@dtplatform/testing';
import { appClient } from './app-client.js';
import type { AppClient } from './app-client.js';
import { startApp } from './start-app.js';
import type { TestApp } from './start-app.js';
import { asUser } from './tokens.js';

const ORGANIZATIONS = '/passportsvc/api/v1/organizations';

describe('organizations', () => {
  let app: TestApp;
  let client: AppClient;
  let admin: string;

  const create = (authorization: string, body: object) => app.api.post(ORGANIZATIONS).set({ authorization }).send(body);
  const list = (authorization: string, query: object = {}) =>
    app.api.get(ORGANIZATIONS).set({ authorization }).query(query);

  beforeAll(async () => {
    app = await startApp();
    client = await appClient(app);
    admin = await asUser(app);
  });
  afterAll(() => app.stop());

  it('are created and listed by administrators and trusted clients', async () => {
    const { body: made } = await create(admin, { _name: ' Third ', stray: 1 }).expect(201);
    expect(made).toEqual({
      _id: expect.stringMatching(/^[0-9a-f]{24}$/),
      _name: 'Third',
      _metadata: { _createdAt: expect.any(Number), _updatedAt: expect.any(Number) },
    });
    for (const authorization of [admin, client.trusted]) {
      const { body } = await list(authorization).expect(200);
      expect(body).toMatchObject({ _offset: 0, _pageSize: 25, _total: body._list.length });
      expect(body._list).toContainEqual(made);
    }
    expect((await list(admin, { _pageSize: 1, _offset: 1 }).expect(200)).body._list).toHaveLength(1);
  });

  it('are created once by a request that is repeated with the same key', async () => {
    const total = async () => (await list(admin).expect(200)).body._total as number;
    const before = await total();
    await sendTwice(() => create(admin, { _name: 'Once' }));
    expect(await total()).toBe(before + 1);
  });

  it.each([
    [{}],
    [{ _name: '' }],
    [{ _name: '  ' }],
    [{ _name: 'x'.repeat(129) }],
    [{ _name: 7 }],
    [{ _name: 'a\0b' }],
  ])('are refused as %j', async (body) => {
    const { body: error } = await create(admin, body).expect(400);
    expect(error.errors[0].location).toBe('body._name');
  });

  it('are not for users and applications', async () => {
    const olga = await client.signIn(await client.createUser('olga'));
    for (const authorization of [olga, client.second]) {
      await create(authorization, { _name: 'Mine' }).expect(403);
      await list(authorization).expect(403);
    }
    await app.api.get(ORGANIZATIONS).expect(401);
  });
});
