import { beforeAll, describe, expect, it } from '@jest/globals';
import { appClient } from './app-client.js';
import type { AppClient } from './app-client.js';
import { useApp } from './start-app.js';
import { asUser } from './tokens.js';

const ORGANIZATIONS = '/passportsvc/api/v1/organizations';

describe('organizations', () => {
  const app = useApp();
  let client: AppClient;
  let admin: string;

  const create = (authorization: string, body: object) => app.send('post', ORGANIZATIONS, authorization, body);
  const list = (authorization: string, query: object = {}) =>
    app.send('get', ORGANIZATIONS, authorization).query(query);

  beforeAll(async () => {
    client = await appClient(app);
    admin = await asUser(app);
  });

  it('lets administrators and trusted clients create and list organizations', async () => {
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
  });
});
