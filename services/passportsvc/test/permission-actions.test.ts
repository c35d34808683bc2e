import { beforeAll, describe, expect, it } from '@jest/globals';
import { useApp } from './start-app.js';
import { asApp, asUser } from './tokens.js';

const ACTIONS = '/passportsvc/api/v1/permission_actions';

describe('permission actions', () => {
  const app = useApp();
  let trusted: string;
  let admin: string;
  let client: string;

  const list = (query: object, authorization = client) => app.send('get', ACTIONS, authorization).query(query);
  const put = (body: object, authorization = trusted) => app.send('put', ACTIONS, authorization, body);
  const remove = (body: object, authorization = trusted) => app.send('delete', ACTIONS, authorization, body);
  const record = { _svc: 'filesvc', _resource: 'file', _actions: ['READ', 'CREATE', 'EDIT', 'DELETE'] };

  beforeAll(async () => {
    trusted = await asApp(app);
    admin = await asUser(app);
    client = await asApp(app, { id: app.dev.second.appId, secret: app.dev.second.appSecret });
  });

  it('lets trusted clients set, replace and delete actions', async () => {
    expect((await put({ ...record, stray: 1 }).expect(200)).body).toEqual(record);
    expect((await list({ _svc: 'filesvc' }).expect(200)).body).toEqual({
      ...{ _offset: 0, _pageSize: 10, _total: 1 },
      _list: [record],
    });
    const fewer = { ...record, _actions: ['READ', 'READ', '*'] };
    expect((await put(fewer).expect(200)).body._actions).toEqual(['READ', '*']);
    expect((await list({ _resource: 'file' }).expect(200)).body._list).toEqual([
      { ...record, _actions: ['READ', '*'] },
    ]);
    await remove({ _svc: 'filesvc', _resource: 'file' }).expect(204);
    await remove({ _svc: 'filesvc', _resource: 'file' }).expect(404);
    expect((await list({ _svc: 'filesvc' }).expect(200)).body._total).toBe(0);
  });

  it('stores one record per service and resource, also under concurrent writes', async () => {
    const writes = Array.from({ length: 10 }, (_, index) =>
      put({ _svc: 'racesvc', _resource: 'race', _actions: [`A${index}`] }),
    );
    expect((await Promise.all(writes)).map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200));
    expect((await list({ _svc: 'racesvc' }).expect(200)).body._total).toBe(1);
  });

  it('lists actions by service, resource or both, in pages of ten', async () => {
    for (let index = 0; index < 12; index += 1)
      await put({ _svc: 'pagesvc', _resource: `r${String(index).padStart(2, '0')}`, _actions: [] }).expect(200);
    await put({ _svc: 'othersvc', _resource: 'r03', _actions: ['RUN'] }).expect(200);
    const resources = async (query: object) =>
      ((await list(query).expect(200)).body._list as { _svc: string; _resource: string }[]).map(
        ({ _svc, _resource }) => `${_svc}:${_resource}`,
      );
    const first = (await list({ _svc: 'pagesvc' }, admin).expect(200)).body;
    expect(first).toMatchObject({ _offset: 0, _pageSize: 10, _total: 12 });
    expect(first._list).toHaveLength(10);
    expect(await resources({ _svc: 'pagesvc', _offset: 10 })).toEqual(['pagesvc:r10', 'pagesvc:r11']);
    expect(await resources({ _resource: 'r03' })).toEqual(['othersvc:r03', 'pagesvc:r03']);
    expect(await resources({ _svc: 'pagesvc', _resource: 'r03' })).toEqual(['pagesvc:r03']);
    expect((await list({ _svc: 'pagesvc', _pageSize: 0 }).expect(200)).body).toMatchObject({ _total: 12, _list: [] });
  });

  it.each([
    ['_svc', { _svc: 'a:b' }],
    ['_resource', { _resource: '*' }],
    ['_actions.0', { _actions: ['READ ME'] }],
    ['_actions', { _actions: Array.from({ length: 101 }, (_, index) => `A${index}`) }],
  ])('rejects an invalid %s: %j', async (field, wrong) => {
    const { body } = await put({ ...record, ...wrong }).expect(400);
    expect(body.errors).toEqual([{ location: `body.${field}`, message: expect.any(String) }]);
  });

  it('requires a service or resource to list, and both to delete', async () => {
    for (const query of [{}, { _svc: '' }, { _svc: { $ne: 1 } }, { _svc: ['a', 'b'] }]) await list(query).expect(400);
    await remove({ _svc: 'filesvc' }).expect(400);
    await remove({ _resource: { $ne: '' }, _svc: 'filesvc' }).expect(400);
  });
});
