import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApp } from './start-app.js';

const PERMISSIONS = '/objectmodelsvc/api/v1/permissions';

describe('permissions', () => {
  let app: Awaited<ReturnType<typeof startApp>>;
  let platform: string;
  let owner: string;

  const entry = (userId: string, actions: string[], irn = 'filesvc:file:*', namespace = 'tower_1') => ({
    _namespace: namespace,
    _resourceDesc: { _irn: irn },
    _user: { _type: 'user', _id: userId },
    _actions: actions,
  });
  const put = (authorization: string, entries: unknown) =>
    app.api
      .put(PERMISSIONS)
      .set({ authorization })
      .send(entries as object);
  const isAllowed = async (userId: string, action: string, irn: string, namespace = 'tower_1') => {
    const question = { _user: { _type: 'user', _id: userId }, _action: action, _irn: irn, _namespace: namespace };
    const reply = await app.api.post(`${PERMISSIONS}/check`).set({ authorization: platform }).send([question]);
    return reply.body._list[0]._allowed as boolean;
  };

  beforeAll(async () => {
    app = await startApp();
    platform = await app.as('platform', 'trusted');
    owner = await app.as('olga');
    await put(platform, [entry('olga', ['*'], '*:*:*')]).expect(200);
  });
  afterAll(() => app.stop());

  it('refuses a request without a token', async () => {
    const reply = await app.api.get(PERMISSIONS).expect(401);
    expect(reply.body).toMatchObject({ status: 401, code: 'UNAUTHORIZED', error: 'invalid_token' });
  });

  it('lets an owner share what it holds, and replaces the actions of the same record', async () => {
    const first = await put(owner, [entry('ben', ['READ', 'EDIT'])]).expect(200);
    expect(first.body).toMatchObject({ _offset: 0, _list: { _success: [{ _status: 201 }], _failures: [] } });
    expect(await isAllowed('ben', 'EDIT', 'filesvc:file:1')).toBe(true);

    const second = await put(owner, [entry('ben', ['READ'])]).expect(200);
    expect(second.body._list._success[0]).toMatchObject({ _status: 200, _id: first.body._list._success[0]._id });
    expect(await isAllowed('ben', 'EDIT', 'filesvc:file:1')).toBe(false);
    expect(await isAllowed('ben', 'READ', 'filesvc:file:1')).toBe(true);
  });
});
