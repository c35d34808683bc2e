import { describe, expect, it } from '@jest/globals';
import { setUpNamespaces } from './permission-client.js';
import { entryFor, PERMISSIONS } from './start-app.js';

const { here, put, remove } = setUpNamespaces();

const reads = (userId: string, irn = 'filesvc:file:1') => entryFor(userId, here.namespace, irn, 'READ');
const audit = (authorization: string, query: object = {}) =>
  here.app.api
    .get(`${PERMISSIONS}/audit`)
    .set({ authorization })
    .query({ _namespace: here.namespace, ...query });
const changes = async (query?: object) => (await audit(here.owner, query).expect(200)).body._list as Change[];
type Change = { _change: string; _at: number; _byId: string };

describe('the audit log of a namespace', () => {
  it('records who granted and revoked what, and when, newest first', async () => {
    const before = Date.now();
    const { _list } = await put(here.owner, [reads('dora'), reads(here.benId, '*:*:*')]);
    await remove(here.owner, _list._success[0]!._id).expect(204);
    const list = await changes();
    expect(list).toMatchObject([
      { _change: 'REVOKE', _byId: here.ownerId, ...reads('dora') },
      { _change: 'GRANT', _byId: here.ownerId, ...reads(here.benId, '*:*:*') },
      { _change: 'GRANT', _byId: here.ownerId, ...reads('dora') },
      { _change: 'GRANT', _byId: 'platform', ...entryFor(here.ownerId, here.namespace, '*:*:*', '*') },
    ]);
    for (const { _at } of list.slice(0, 3)) expect(_at).toBeGreaterThanOrEqual(before);
  });

  it('lists the changes for one subject, page by page', async () => {
    await put(here.owner, [reads('dora'), reads('nora')]);
    await put(here.owner, [entryFor('dora', here.namespace, 'filesvc:file:1', 'EDIT')]);
    const { body } = await audit(here.owner, { '_user._id': 'dora', _pageSize: 1 }).expect(200);
    expect(body).toMatchObject({ _total: 2, _list: [{ _user: { _id: 'dora' }, _actions: ['EDIT'] }] });
  });

  it('records what a replaced permission held before, and nothing for a write without effect', async () => {
    const more = entryFor('dora', here.namespace, 'filesvc:file:1', 'READ', 'EDIT', 'READ');
    await put(here.owner, [more]);
    await put(here.owner, [more, reads('dora'), reads('dora')]);
    const [less, grant, ...others] = await changes({ '_user._id': 'dora' });
    expect(less).toMatchObject({ _actions: ['READ'], _previousActions: ['READ', 'EDIT'] });
    expect(grant).toMatchObject({ _actions: ['READ', 'EDIT'] });
    expect(grant).not.toHaveProperty('_previousActions');
    expect(others).toEqual([]);
  });

  it('is ordered by time, whichever process recorded a change', async () => {
    const [first] = await changes();
    const later = { ...first, _id: '0'.repeat(24), _at: Date.now() + 1000, expiresAt: new Date(Date.now() + 60_000) };
    await here.app.mongo.db.collection<{ _id: string }>('permission_audit').insertOne(later);
    expect((await changes())[0]).toMatchObject({ _id: later._id });
  });

  it('does not record rejected writes', async () => {
    const { length } = await changes();
    await put(here.ben, [reads('dora')]);
    await put(here.owner, [reads('unknown-dora')]);
    expect(await changes()).toHaveLength(length);
  });

  it('requires SHARE on everything in the namespace', async () => {
    await put(here.owner, [entryFor(here.benId, here.namespace, 'filesvc:*:*', '*')]);
    expect((await audit(here.ben).expect(403)).body.code).toBe('MAY_NOT_AUDIT');
    await audit(here.platform).expect(200);
  });

  it('outlives the namespace, for the platform', async () => {
    const body = { _namespaces: [here.namespace] };
    for (let times = 0; times < 2; times++) {
      await here.app.api.post(`${PERMISSIONS}/close`).set({ authorization: here.platform }).send(body).expect(200);
    }
    await audit(here.owner).expect(403);
    const { _list } = (await audit(here.platform).expect(200)).body;
    expect(_list).toMatchObject([{ _change: 'CLOSE', _byId: 'platform' }, { _change: 'GRANT' }]);
    expect(_list[0]._user).toBeUndefined();
  });

  it('expires', async () => {
    await put(here.owner, [reads('dora')]);
    const stored = here.app.mongo.db.collection('permission_audit');
    const { expiresAt } = (await stored.findOne({ _namespace: here.namespace, '_user._id': 'dora' }))!;
    const days = (Number(expiresAt) - Date.now()) / 86_400_000;
    expect(days).toBeGreaterThan(364);
    expect(days).toBeLessThan(366);
    const expiry = (await stored.indexes()).find(({ name }) => name === 'expiry');
    expect(expiry).toMatchObject({ key: { expiresAt: 1 }, expireAfterSeconds: 0 });
  });
});
