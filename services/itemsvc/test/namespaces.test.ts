import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { commonErrors } from '@dtplatform/errors';
import { createOutbox } from '@dtplatform/queue';
import { eventually } from '@dtplatform/testing';
import { itemJobs } from '../src/nameduseritems/nameduseritems.module.js';
import { itemClient, ITEMS, NS, OTHER } from './item-client.js';
import { startApp } from './start-app.js';
import type { TestApp } from './start-app.js';
import { configDraft, CONFIGS, telemetryClient } from './telemetry-client.js';

type Caller = { authorization: string };

const ALL = ['READ', 'CREATE', 'EDIT', 'DELETE', 'SHARE'] as const;
let people = 0;

/** Olga holds everything in NS, and nothing in OTHER, which belongs to others. */
describe('the namespaces of', () => {
  let app: TestApp;
  let olga: Caller;
  let guestId: string;
  let guest: Caller;
  const client = itemClient(() => ({ app, owner: olga }));
  const telemetry = telemetryClient(() => ({ app, owner: olga }));

  beforeAll(async () => {
    app = await startApp();
    await app.startWorker();
    olga = await app.caller('olga', NS);
  });
  beforeEach(async () => {
    guestId = `guest${(people += 1)}`;
    guest = await app.caller(guestId, OTHER, ['CREATE'], 'itemsvc:*:*');
  });
  afterEach(() => void jest.restoreAllMocks());
  afterAll(() => app.stop());

  const allow = (actions: readonly (typeof ALL)[number][], irn: string, namespace = NS) =>
    app.grants.allow(guestId, namespace, irn, [...actions]);
  const held = () => app.grants.grantsOf({ _type: 'user', _id: guestId }, OTHER);
  const closed = (namespace: string) =>
    app.mongo.transaction((session) =>
      createOutbox(app.mongo).put(session, itemJobs.messages['workspace.deleted.v1'], {
        _id: 'a'.repeat(24),
        _namespaces: [namespace],
      }),
    );

  describe('an item', () => {
    let item: { _id: string; _irn: string };
    const get = (by: Caller, nsfilter: string) => app.api.get(`${ITEMS}/${item._id}`).query({ nsfilter }).set(by);
    const put = (by: Caller, _namespaces: string[], nsfilter = NS) =>
      app.api
        .put(`${ITEMS}/${item._id}`)
        .query({ nsfilter })
        .set(by)
        .send({ _name: 'n', _description: '', _userType: 'u', _namespaces });
    const remove = (by: Caller, nsfilter: string) => app.api.delete(`${ITEMS}/${item._id}`).query({ nsfilter }).set(by);
    const namespaces = async (nsfilter = NS) => (await get(olga, nsfilter).expect(200)).body._namespaces;

    beforeEach(async () => {
      item = await client.createOne();
    });

    it('are entered only by who may share all of it there', async () => {
      for (const missing of ['SHARE', 'CREATE', 'DELETE'] as const) {
        await app.grants.revoke(guestId, NS);
        await allow(
          ALL.filter((action) => action !== missing),
          item._irn,
        );
        const { body } = await put(guest, [NS, OTHER]).expect(403);
        expect(body.message).toContain(`needs ${missing} on itemsvc:nameduseritem in the namespace ${NS}`);
      }
      await allow(ALL, item._irn, 'somewhere_else');
      await put(guest, [NS, OTHER]).expect(403);
      expect(await namespaces()).toEqual([NS]);
      await allow(ALL, item._irn);
      await put(guest, [NS, OTHER]).expect(204);
      await get(guest, OTHER).expect(200);
    });

    it('are entered only with CREATE there', async () => {
      await allow(ALL, item._irn);
      await put(guest, [NS, 'third_1']).expect(403);
      await put(olga, [NS, OTHER]).expect(403);
    });

    it('grant nothing to who enters them with a change that fails', async () => {
      await allow(ALL, item._irn);
      const before = await held();
      await put(guest, [NS, OTHER]).set('if-match', '"7"').expect(412);
      await put(guest, [NS, OTHER], 'third_1').expect(404);
      expect(await held()).toEqual(before);
    });

    it('are left at the will of who may delete in the one where it was created', async () => {
      await allow(ALL, item._irn);
      await put(guest, [NS, OTHER]).expect(204);
      await app.grants.revoke(guestId, NS);
      await put(guest, [OTHER], OTHER).expect(403);
      await put(olga, [NS]).expect(204);
      await get(guest, OTHER).expect(404);
      await put(guest, [NS, OTHER], OTHER).expect(404);
      expect(await namespaces()).toEqual([NS]);
    });

    it('are all left when who may delete in the one where it was created deletes it', async () => {
      await allow(ALL, item._irn);
      await put(guest, [NS, OTHER]).expect(204);
      await remove(olga, NS).expect(204);
      await get(guest, OTHER).expect(404);
    });

    it('may be left by who may delete there alone', async () => {
      await allow(ALL, item._irn);
      await put(guest, [NS, OTHER]).expect(204);
      await app.grants.revoke(guestId, NS);
      await allow(['READ', 'EDIT'], item._irn);
      await put(guest, [NS]).expect(204);
    });

    it('are left, one at a time, when who may delete in it alone deletes it there', async () => {
      await app.grants.allow(guestId, NS, 'itemsvc:*:*', ['CREATE']);
      const draft = { ...(await client.get(item._id)).body, _namespaces: [NS, OTHER] };
      const created = await client.create([draft], { nsfilter: OTHER }).set(guest).expect(201);
      [item] = created.body._list;
      await app.grants.revoke(guestId, NS);
      await remove(olga, NS).set('if-match', '"7"').expect(412);
      await remove(olga, NS).expect(204);
      await get(olga, NS).expect(404);
      await remove(olga, NS).expect(404);
      await put(guest, [NS, OTHER], OTHER).expect(403);
      expect((await get(guest, OTHER).expect(200)).body._namespaces).toEqual([OTHER]);
      await remove(guest, OTHER).expect(204);
      await get(guest, OTHER).expect(404);
    });

    it('have another home once it has left the first one, for ever', async () => {
      await allow(ALL, item._irn);
      await put(guest, [NS, OTHER]).expect(204);
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

    it('are decided again when they changed meanwhile', async () => {
      await allow(ALL, item._irn);
      await put(guest, [NS, OTHER]).expect(204);
      const { items } = app.deps;
      const update = items.update.bind(items);
      jest.spyOn(items, 'update').mockImplementationOnce(async (...args) => {
        await put(olga, [NS]).expect(204);
        return update(...args);
      });
      await put(guest, [NS, OTHER], OTHER).expect(409);
      expect(await namespaces()).toEqual([NS]);
    });

    it('stay with who holds the others when the one where it was created is closed', async () => {
      const home = `home_${people}`;
      const owner = await app.caller('olga', home);
      [item] = (
        await client
          .create([{ ...(await client.get(item._id)).body, _namespaces: [home, NS] }], { nsfilter: home })
          .set(owner)
          .expect(201)
      ).body._list;
      await closed(home);
      await eventually(async () => expect(await namespaces()).toEqual([NS]));
      await remove(olga, NS).expect(204);
    });

    it('never show which one it was created in', async () => {
      const everything = [
        await get(olga, NS),
        await client.get(item._id, { project: '{"_home":1}' }),
        await client.list(),
        await client.list({ query: { _id: item._id }, project: { _home: 1 } }),
      ].map(({ body }) => JSON.stringify(body));
      for (const text of everything) expect(text).not.toContain('_home');
      expect((await client.list({ query: { _home: NS } })).body._total).toBe(0);
    });

    it('grant what they bring even if that fails at first', async () => {
      await allow(ALL, item._irn);
      const failing = jest.spyOn(app.grants, 'grant').mockRejectedValueOnce(commonErrors.unavailable());
      await put(guest, [NS, OTHER]).expect(204);
      expect(failing).toHaveBeenCalledTimes(1);
      await get(guest, OTHER).expect(404);
      await app.mongo.db.collection('grant_marks').updateMany({}, { $set: { dueAt: new Date(0) } });
      await eventually(() => get(guest, OTHER).expect(200));
      await eventually(async () => expect(await app.mongo.db.collection('grant_marks').countDocuments()).toBe(0));
    });
  });

  describe('a telemetry configuration', () => {
    let config: { _id: string; _irn: string; _shortName: string };
    const put = (by: Caller, _namespaces: string[], nsfilter = NS) =>
      telemetry
        .send('put', `${CONFIGS}/${config._id}`, { nsfilter }, by)
        .send({ _name: 'n', _shortName: config._shortName, _namespaces });
    const get = (by: Caller, nsfilter: string) => telemetry.send('get', `${CONFIGS}/${config._id}`, { nsfilter }, by);
    /** The guest holds everything where the configuration has entered, once a sweep has granted it. */
    const owned = () =>
      eventually(async () => {
        await app.deps.pendingGrants.finishDue();
        expect(await held()).toContainEqual({ _irn: config._irn, _actions: ['*'] });
      });
    /** The task belongs to who started it. */
    const done = async (call: PromiseLike<{ status: number; headers: Record<string, string> }>, by: Caller) => {
      const { status, headers } = await call;
      expect(status).toBe(202);
      return eventually(async () => {
        const { body } = await telemetry.send('get', headers.location!, {}, by).expect(200);
        expect(['COMPLETED', 'ERROR']).toContain(body._status);
        return body._status as string;
      });
    };

    beforeEach(async () => {
      config = await telemetry.createConfig(configDraft());
      await allow(['READ', 'EDIT'], config._irn);
    });

    it('are entered only by who may share all of it there', async () => {
      await put(guest, [NS, OTHER]).expect(403);
      await allow(ALL, config._irn);
      const before = await held();
      await put(guest, [NS, OTHER]).set('if-match', '"7"').expect(412);
      expect(await held()).toEqual(before);
      expect(await done(put(guest, [NS, OTHER]), guest)).toBe('COMPLETED');
      await owned();
    });

    it('are left at the will of who may delete in the one where it was created', async () => {
      await allow(ALL, config._irn);
      expect(await done(put(guest, [NS, OTHER]), guest)).toBe('COMPLETED');
      await owned();
      await app.grants.revoke(guestId, NS);
      await put(guest, [OTHER], OTHER).expect(403);
      await telemetry.send('delete', `${CONFIGS}/${config._id}`, {}, guest).expect(403);
      expect(await done(put(olga, [NS]), olga)).toBe('COMPLETED');
      await get(guest, OTHER).expect(404);
    });

    it('are left, one at a time, when who may delete in it alone deletes it there', async () => {
      await allow(ALL, config._irn);
      expect(await done(put(guest, [NS, OTHER]), guest)).toBe('COMPLETED');
      await owned();
      await app.grants.revoke(guestId, NS);
      const removal = telemetry.send('delete', `${CONFIGS}/${config._id}`, { nsfilter: OTHER }, guest);
      expect(await done(removal, guest)).toBe('COMPLETED');
      await get(guest, OTHER).expect(404);
      expect((await get(olga, NS).expect(200)).body._namespaces).toEqual([NS]);
      const sameName = configDraft({ _shortName: config._shortName, _namespaces: [OTHER] });
      await telemetry.send('post', CONFIGS, { nsfilter: OTHER }, guest).send(sameName).expect(202);
    });

    it('are all left when who may delete in the one where it was created deletes it', async () => {
      await allow(ALL, config._irn);
      expect(await done(put(guest, [NS, OTHER]), guest)).toBe('COMPLETED');
      const removal = telemetry.send('delete', `${CONFIGS}/${config._id}`, { nsfilter: NS });
      expect(await done(removal, olga)).toBe('COMPLETED');
    });

    it('never show which one it was created in', async () => {
      expect(config).not.toHaveProperty('_home');
      for (const path of [`${CONFIGS}/${config._id}`, CONFIGS]) {
        expect(JSON.stringify((await telemetry.send('get', path).expect(200)).body)).not.toContain('_home');
      }
    });
  });
});
