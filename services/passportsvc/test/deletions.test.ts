import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { WORKSPACE_DELETED_QUEUES } from '@dtplatform/contracts';
import { commonErrors } from '@dtplatform/errors';
import { eventually } from '@dtplatform/testing';
import { appClient, APPS } from './app-client.js';
import type { AppClient, TestUser } from './app-client.js';
import { REDIRECT_URI, startApp } from './start-app.js';
import type { TestApp } from './start-app.js';
import { asApp, asUser, codeFor, redeem, requestToken } from './tokens.js';
import { createUserClient } from './user-client.js';

const WORKSPACES = '/passportsvc/api/v1/workspaces';
const TEMPLATES = '/passportsvc/api/v1/notification_templates';

let app: TestApp;
let client: AppClient;

beforeAll(async () => {
  app = await startApp();
  client = await appClient(app);
});
afterAll(() => app.stop());

describe('deleting', () => {
  let owner: TestUser;
  let olga: string;
  let ben: string;

  const collection = (name: string) => app.mongo.db.collection<{ _id: string }>(name);

  beforeAll(async () => {
    owner = await client.createUser('olga');
    olga = await client.signIn(owner);
    ben = await client.signIn(await client.createUser('ben'));
  });

  describe('an application', () => {
    const remove = (authorization: string, id: string) => app.api.delete(`${APPS}/${id}`).set({ authorization });
    const get = (authorization: string, id: string) => app.api.get(`${APPS}/${id}`).set({ authorization });

    it('ends its tokens, sign-ins, consents and permissions before the call answers', async () => {
      const wanted = { _orgId: app.dev.second.orgId, _redirectUris: REDIRECT_URI };
      const foreigner = await client.createUser('foreigner', client.second);
      const foreignOwner = await client.withPassword(foreigner);
      const made = await client.createApp(foreigner, wanted, client.second);
      const sibling = await client.createApp(owner);
      const own = await asApp(app, made);
      const code = await codeFor(app, { client_id: made.id }, undefined, foreignOwner);
      const tokens = (await redeem(app, code, {}, made).expect(200)).body;
      const asItsUser = `Bearer ${tokens.access_token as string}`;
      await collection('consents').insertOne({ ...consentTo(made.id), _id: `user:${made.id}` });
      await collection('consents').insertOne({ ...consentTo(sibling.id), _id: `user:${sibling.id}` });
      const templatesOf = (appId: string) => collection('notification_templates').countDocuments({ _appId: appId });
      const templates = { _name: 'USER_GROUP_INVITE' };
      for (const one of [made, sibling]) {
        const authorization = await asApp(app, one);
        await app.api.get(TEMPLATES).query(templates).set({ authorization }).expect(200);
        expect(await templatesOf(one.id)).toBeGreaterThan(0);
      }
      const doomed = { _type: 'user' as const, _id: client.subjectOf(ben) };
      await app.grants.allow(doomed, made.namespace, 'filesvc:file:*', ['READ']);
      await app.grants.allow({ _type: 'app', _id: made.id }, sibling.namespace, 'filesvc:file:*', ['READ']);
      await get(own, made.id).expect(200);
      await get(asItsUser, made.id).expect(200);

      await remove(await asUser(app, foreignOwner), made.id).expect(204);
      await get(own, made.id).expect(401);
      await get(asItsUser, made.id).expect(401);
      await get(client.trusted, made.id).expect(404);
      const refresh = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token as string };
      await requestToken(app, refresh, made).expect(403);
      const response = await requestToken(app, { grant_type: 'client_credentials' }, made).expect(403);
      expect(response.body.error).toBe('invalid_client');
      expect(await collection('authorizations').countDocuments({ clientId: made.id })).toBe(0);
      expect(await collection('consents').countDocuments({ _appId: made.id })).toBe(0);
      expect(await collection('consents').countDocuments({ _appId: sibling.id })).toBe(1);
      expect(await templatesOf(made.id)).toBe(0);
      expect(await templatesOf(sibling.id)).toBeGreaterThan(0);
      expect(await app.grants.namespacesOf({ _type: 'app', _id: made.id })).toEqual([]);
      expect(await app.grants.grantsOf(doomed, made.namespace)).toEqual([]);
      expect((await app.api.get(APPS).set({ authorization: client.trusted })).body._list).not.toContainEqual(
        expect.objectContaining({ _id: made.id }),
      );
      await remove(client.trusted, made.id).expect(404);
    });

    it('needs DELETE, or to own it', async () => {
      const { id, namespace } = await client.createApp(owner);
      const allow = (action: 'READ' | 'EDIT' | 'DELETE') =>
        app.grants.allow(client.subjectOf(ben), namespace, `passportsvc:app:${id}`, [action]);
      await remove(ben, id).expect(404);
      await allow('READ');
      await allow('EDIT');
      await remove(ben, id).expect(403);
      const sibling = await client.createApp(owner);
      await remove(await asApp(app, sibling), id).expect(403);
      await remove(client.second, id).expect(404);
      await remove(olga, 'no-such-app').expect(404);
      await app.api.delete(`${APPS}/${id}`).expect(401);
      await remove(olga, id).set('if-match', '"7"').expect(412);
      await allow('DELETE');
      await remove(ben, id).expect(204);
      await remove(await asUser(app), sibling.id).expect(204);
    });

    it('happens once, of several calls at the same time', async () => {
      const { id } = await client.createApp(owner);
      const responses = await Promise.all(Array.from({ length: 4 }, () => remove(olga, id)));
      expect(responses.map(({ status }) => status).toSorted()).toEqual([204, 404, 404, 404]);
    });
  });

  describe('a workspace', () => {
    const remove = (authorization: string, id: string) => app.api.delete(`${WORKSPACES}/${id}`).set({ authorization });
    const create = async () => {
      const { body } = await app.api.post(WORKSPACES).set({ authorization: olga }).send([{}]).expect(201);
      const { _id: id, _namespaces } = body._list[0] as { _id: string; _namespaces: string[] };
      return { id, namespace: _namespaces[0]! };
    };
    const announced = (id: string) => collection('outbox').countDocuments({ 'payload._id': id });

    it('ends all permissions in its namespaces and notifies the services before the call answers', async () => {
      const { id, namespace } = await create();
      const subject = { _type: 'user' as const, _id: client.subjectOf(ben) };
      await app.grants.allow(subject, namespace, '*:*:*', ['READ']);
      await app.api.get(`${WORKSPACES}/${id}`).set({ authorization: ben }).expect(200);
      await remove(olga, id).expect(204);
      await app.api.get(`${WORKSPACES}/${id}`).set({ authorization: ben }).expect(404);
      await remove(olga, id).expect(404);
      expect(await app.grants.grantsOf(subject, namespace)).toEqual([]);
      expect(await app.grants.namespacesOf(subject)).not.toContain(namespace);
      const messages = await collection('outbox')
        .find({ 'payload._id': id } as never, { projection: { _id: 0, queue: 1, name: 1, payload: 1 } })
        .sort({ queue: 1 })
        .toArray();
      const payload = { _id: id, _namespaces: [namespace] };
      const toAll = WORKSPACE_DELETED_QUEUES.map((queue) => ({ queue, name: 'workspace.deleted.v1', payload }));
      expect(messages).toEqual(toAll);
    });

    it('needs DELETE', async () => {
      const { id, namespace } = await create();
      const allow = (action: 'READ' | 'EDIT' | 'DELETE') =>
        app.grants.allow(client.subjectOf(ben), namespace, `passportsvc:workspace:${id}`, [action]);
      await remove(ben, id).expect(404);
      await allow('READ');
      await allow('EDIT');
      await remove(ben, id).expect(403);
      for (const authorization of [await asUser(app), client.second]) await remove(authorization, id).expect(404);
      await app.api.delete(`${WORKSPACES}/${id}`).expect(401);
      await remove(olga, 'no-id').expect(404);
      await remove(olga, id).set('if-match', '"7"').expect(412);
      await allow('DELETE');
      await remove(ben, id).expect(204);
    });

    it('makes room for another one under the limit of its application', async () => {
      const limited = await client.createApp(owner, { _configs: { 'workspaces.limit': '1' } });
      const authorization = await asApp(app, limited);
      const post = () => app.api.post(WORKSPACES).set({ authorization }).send([{}]);
      const { body } = await post().expect(201);
      await post().expect(400);
      await remove(authorization, body._list[0]._id as string).expect(204);
      await post().expect(201);
    });

    it('is finished later when objectmodelsvc is unavailable, and announced once more', async () => {
      const { id, namespace } = await create();
      const { grants } = app;
      const close = grants.close.bind(grants);
      app.grants.close = () => Promise.reject(commonErrors.unavailable());
      await remove(olga, id).expect(503);
      expect(await announced(id)).toBe(0);
      app.grants.close = close;
      const due = () => collection('deletions').updateOne({ _id: id }, { $set: { dueAt: 0 } });
      await due();
      await eventually(async () => expect(await announced(id)).toBe(WORKSPACE_DELETED_QUEUES.length));
      expect(await app.grants.namespacesOf({ _type: 'user', _id: client.subjectOf(olga) })).not.toContain(namespace);
      await due();
      await eventually(async () => expect(await announced(id)).toBe(2 * WORKSPACE_DELETED_QUEUES.length));
      expect(await collection('deletions').countDocuments({ _id: id })).toBe(0);
    });

    it('is finished however many deletions of users fail', async () => {
      const { id } = await create();
      const close = app.grants.close.bind(app.grants);
      const removeUser = app.grants.removeUser.bind(app.grants);
      const fail = () => Promise.reject(commonErrors.unavailable());
      Object.assign(app.grants, { close: fail, removeUser: fail });
      await remove(olga, id).expect(503);
      const users = Array.from({ length: 25 }, (_, n) => ({
        _id: `user-${n}`,
        kind: 'user',
        namespaces: [],
        rounds: 0,
        dueAt: 0,
      }));
      await collection('deletions').insertMany(users);
      await collection('deletions').updateOne({ _id: id }, { $set: { dueAt: 1 } });
      app.grants.close = close;
      await eventually(async () => expect(await announced(id)).toBe(WORKSPACE_DELETED_QUEUES.length));
      app.grants.removeUser = removeUser;
      await eventually(async () => expect(await collection('deletions').countDocuments({ dueAt: 0 })).toBe(0));
    });
  });
});

describe('the permissions of a deleted user', () => {
  let users: ReturnType<typeof createUserClient>;
  const deletions = () => app.mongo.db.collection<{ _id: string }>('deletions');
  const namespacesOf = (_id: string) => app.grants.namespacesOf({ _type: 'user', _id });
  const untilGone = (id: string) => eventually(async () => expect(await namespacesOf(id)).toEqual([]));
  const reader = async (userName: string) => {
    const { id } = await users.create({ userName });
    await app.grants.allow(id, 'tower', 'filesvc:file:*', ['READ']);
    return id;
  };

  beforeAll(() => {
    users = createUserClient(app, client.trusted);
  });

  it('are removed, and those of others are not', async () => {
    const [leaver, colleague] = [await reader('leaver@x.test'), await reader('colleague@x.test')];
    await users.remove(leaver);
    expect(await namespacesOf(leaver)).toEqual([]);
    expect(await namespacesOf(colleague)).toEqual(['tower']);
  });

  it('are removed once more later, for what was granted meanwhile, and then never again', async () => {
    const id = await reader('late@x.test');
    await users.remove(id);
    await eventually(async () => expect(await deletions().findOne({ _id: id })).toMatchObject({ rounds: 1 }));
    await app.grants.allow(id, 'tower', 'filesvc:file:*', ['READ']);
    await deletions().updateOne({ _id: id }, { $set: { dueAt: 0 } });
    await untilGone(id);
    await eventually(async () => expect(await deletions().countDocuments({ _id: id })).toBe(0));
  });

  it('are removed as soon as objectmodelsvc is back', async () => {
    const id = await reader('away@x.test');
    const removeUser = app.grants.removeUser.bind(app.grants);
    let attempts = 0;
    app.grants.removeUser = () => {
      attempts += 1;
      return Promise.reject(new Error('objectmodelsvc is away'));
    };
    await users.remove(id);
    await eventually(() => expect(attempts).toBeGreaterThan(0));
    expect(await namespacesOf(id)).toEqual(['tower']);
    app.grants.removeUser = removeUser;
    await untilGone(id);
  });

  it('stay when the user was not deleted after all', async () => {
    const id = await reader('stays@x.test');
    const authorization = await asApp(app);
    const path = `/passportsvc/api/v1/scim/Users/${id}`;
    await app.api.delete(path).set({ authorization, 'if-match': 'W/"99"' }).expect(412);
    expect(await deletions().countDocuments({ _id: id })).toBe(0);
    expect(await namespacesOf(id)).toEqual(['tower']);
  });
});

const consentTo = (appId: string) => ({
  _userId: 'f'.repeat(24),
  _appId: appId,
  _appName: 'App',
  _orgId: 'second-org',
  _orgName: 'Second',
  _destinations: [],
  _metadata: { _createdAt: 1, _updatedAt: 1 },
  _revoked: false,
});
