import { afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { commonErrors } from '@dtplatform/errors';
import { eventually } from '@dtplatform/testing';
import { itemClient } from './item-client.js';
import { NS, openApp, OTHER } from './start-app.js';
import type { Caller } from './start-app.js';
import { configDraft, CONFIGS, telemetryClient } from './telemetry-client.js';

const ALL = ['READ', 'CREATE', 'EDIT', 'DELETE', 'SHARE'] as const;
let people = 0;

/** Olga has all permissions in `NS`, and a guest CREATE in `OTHER`. */
const here = await openApp(NS);
const { app, owner: olga } = here;
let guestId: string;
let guest: Caller;

beforeAll(() => app.startWorker());
beforeEach(async () => {
  guestId = `guest${(people += 1)}`;
  guest = await app.caller(guestId, OTHER, ['CREATE'], 'itemsvc:*:*');
});
afterEach(() => void jest.restoreAllMocks());

const allow = (actions: readonly (typeof ALL)[number][], irn: string, namespace = NS) =>
  app.grants.allow(guestId, namespace, irn, [...actions]);
const revoke = () => app.grants.revoke(guestId, NS);
const held = () => app.grants.grantsOf({ _type: 'user', _id: guestId }, OTHER);

describe('an item', () => {
  const client = itemClient(here);
  let item: { _id: string; _irn: string };
  const get = (by: Caller, nsfilter: string) => client.send('get', `/${item._id}`, { nsfilter }, by);
  const put = (by: Caller, _namespaces: string[], nsfilter = NS) =>
    client.put(item._id, { _namespaces }, { nsfilter }, by);
  const remove = (by: Caller, nsfilter: string) => client.send('delete', `/${item._id}`, { nsfilter }, by);
  const namespaces = async (nsfilter = NS) => (await get(olga, nsfilter).expect(200)).body._namespaces;
  /** The guest shares it with the other namespace. */
  const shared = async () => {
    await allow(ALL, item._irn);
    await put(guest, [NS, OTHER]).expect(204);
  };

  beforeEach(async () => {
    item = await client.createOne();
  });

  it('enters a namespace only if the caller may share all of it, and create there', async () => {
    for (const missing of ['SHARE', 'CREATE', 'DELETE'] as const) {
      await revoke();
      const others = ALL.filter((action) => action !== missing);
      await allow(others, item._irn);
      const { body } = await put(guest, [NS, OTHER]).expect(403);
      expect(body.message).toContain(`needs ${missing} on itemsvc:nameduseritem in the namespace ${NS}`);
    }
    await allow(ALL, item._irn, 'somewhere_else');
    await put(guest, [NS, OTHER]).expect(403);
    // Nor if it has no CREATE there.
    await put(olga, [NS, OTHER]).expect(403);
    expect(await namespaces()).toEqual([NS]);
    await shared();
    await get(guest, OTHER).expect(200);
  });

  it('grants nothing if a change fails', async () => {
    await allow(ALL, item._irn);
    const before = await held();
    await put(guest, [NS, OTHER]).set('if-match', '"7"').expect(412);
    await put(guest, [NS, OTHER], 'third_1').expect(404);
    expect(await held()).toEqual(before);
  });

  it('can be taken out of another namespace with DELETE in its home', async () => {
    await shared();
    await revoke();
    await put(guest, [OTHER], OTHER).expect(403);
    await put(olga, [NS]).expect(204);
    await get(guest, OTHER).expect(404);
    await put(guest, [NS, OTHER], OTHER).expect(404);
    expect(await namespaces()).toEqual([NS]);
  });

  it('can be removed from a namespace with DELETE in that namespace only', async () => {
    await shared();
    await revoke();
    await allow(['READ', 'EDIT'], item._irn);
    await put(guest, [NS]).expect(204);
  });

  it('is deleted everywhere with DELETE in its home', async () => {
    await shared();
    await remove(olga, NS).expect(204);
    await get(guest, OTHER).expect(404);
  });

  it('leaves one namespace when it is deleted without DELETE in its home', async () => {
    await app.grants.allow(guestId, NS, 'itemsvc:*:*', ['CREATE']);
    const draft = { ...(await client.get(item._id)).body, _namespaces: [NS, OTHER] };
    [item] = (await client.create([draft], { nsfilter: OTHER }).set(guest).expect(201)).body._list;
    await revoke();
    await remove(olga, NS).set('if-match', '"7"').expect(412);
    await remove(olga, NS).expect(204);
    await get(olga, NS).expect(404);
    await remove(olga, NS).expect(404);
    await put(guest, [NS, OTHER], OTHER).expect(403);
    expect((await get(guest, OTHER).expect(200)).body._namespaces).toEqual([OTHER]);
    await remove(guest, OTHER).expect(204);
    await get(guest, OTHER).expect(404);
  });

  it('keeps its new home when it returns to the namespace that it was created in', async () => {
    await shared();
    await put(guest, [OTHER], OTHER).expect(204);
    const host = await app.caller('host', OTHER);
    await allow(['CREATE'], 'itemsvc:*:*');
    await put(guest, [OTHER, NS], OTHER).expect(204);
    await put(olga, [NS]).expect(403);
    await remove(olga, NS).expect(204);
    await get(olga, NS).expect(404);
    await put(host, [OTHER], OTHER).expect(204);
    await remove(host, OTHER).expect(204);
  });

  it('is not changed if its namespaces have changed since the rights were checked', async () => {
    await shared();
    const { items } = app.deps;
    const update = items.update.bind(items);
    jest.spyOn(items, 'update').mockImplementationOnce(async (...args) => {
      await put(olga, [NS]).expect(204);
      return update(...args);
    });
    await put(guest, [NS, OTHER], OTHER).expect(409);
    expect(await namespaces()).toEqual([NS]);
  });

  it('never shows its home', async () => {
    const projected = await client.get(item._id, { project: '{"_home":1}' });
    const lists = [await client.list(), await client.list({ project: { _home: 1 } })];
    for (const { body } of [await get(olga, NS), projected, ...lists])
      expect(JSON.stringify(body)).not.toContain('_home');
  });

  it('grants its permissions later if granting fails at first', async () => {
    await allow(ALL, item._irn);
    const failing = jest.spyOn(app.grants, 'grant').mockRejectedValueOnce(commonErrors.unavailable());
    await put(guest, [NS, OTHER]).expect(204);
    expect(failing).toHaveBeenCalledTimes(1);
    await get(guest, OTHER).expect(404);
    await app.stored('grant_marks').updateMany({}, { $set: { dueAt: new Date(0) } });
    await eventually(() => get(guest, OTHER).expect(200));
    await eventually(async () => expect(await app.stored('grant_marks').countDocuments()).toBe(0));
  });
});

describe('a telemetry configuration', () => {
  const { send, createConfig, ended, accepted } = telemetryClient(here);
  let config: { _id: string; _irn: string; _shortName: string };
  const put = (by: Caller, _namespaces: string[], nsfilter = NS) => {
    const { _id, _shortName } = config;
    return send('put', `${CONFIGS}/${_id}`, { nsfilter }, by).send({ _name: 'n', _shortName, _namespaces });
  };
  const get = (by: Caller, nsfilter: string) => send('get', `${CONFIGS}/${config._id}`, { nsfilter }, by);
  const remove = (by: Caller, query: object = {}) => send('delete', `${CONFIGS}/${config._id}`, query, by);
  const done = async (call: ReturnType<typeof send>, by: Caller) =>
    expect(await ended(await accepted(call), by)).toMatchObject({ _status: 'COMPLETED' });

  /** The guest shares it with the other namespace, and owns it there. */
  beforeEach(async () => {
    config = await createConfig();
    await allow(['READ', 'EDIT'], config._irn);
    await put(guest, [NS, OTHER]).expect(403);
    await allow(ALL, config._irn);
    const before = await held();
    await put(guest, [NS, OTHER]).set('if-match', '"7"').expect(412);
    expect(await held()).toEqual(before);
    await done(put(guest, [NS, OTHER]), guest);
    await eventually(async () => {
      await app.deps.pendingGrants.finishDue();
      expect(await held()).toContainEqual({ _irn: config._irn, _actions: ['*'] });
    });
    await revoke();
  });

  it('can be removed from another namespace with DELETE in its home, which is hidden', async () => {
    await put(guest, [OTHER], OTHER).expect(403);
    await done(put(olga, [NS]), olga);
    await get(guest, OTHER).expect(404);
    const responses = [await get(olga, NS), await send('get', CONFIGS)];
    expect(JSON.stringify(responses.map(({ body }) => body))).not.toContain('_home');
  });

  it('leaves one namespace, and frees its name there, when it is deleted without DELETE in its home', async () => {
    await remove(guest).expect(403);
    await done(remove(guest, { nsfilter: OTHER }), guest);
    await get(guest, OTHER).expect(404);
    expect((await get(olga, NS).expect(200)).body._namespaces).toEqual([NS]);
    const sameName = configDraft({ _shortName: config._shortName, _namespaces: [OTHER] });
    await send('post', CONFIGS, { nsfilter: OTHER }, guest).send(sameName).expect(202);
  });
});
