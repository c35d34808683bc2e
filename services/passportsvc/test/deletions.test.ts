import { beforeAll, describe, expect, it } from '@jest/globals';
import { WORKSPACE_DELETED_QUEUES } from '@dtplatform/contracts';
import { commonErrors } from '@dtplatform/errors';
import { eventually } from '@dtplatform/testing';
import { appClient, APPS } from './app-client.js';
import type { AppClient } from './app-client.js';
import { newUser } from './page-client.js';
import { useApp } from './start-app.js';
import { actingFor, asApp, refreshWith, requestToken, tokensFor } from './tokens.js';
import { createUserClient } from './user-client.js';

const WORKSPACES = '/passportsvc/api/v1/workspaces';
const TEMPLATES = '/passportsvc/api/v1/notification_templates';

const app = useApp();
let client: AppClient;
const collection = (name: string) => app.mongo.db.collection<{ _id: string }>(name);

beforeAll(async () => {
  client = await appClient(app);
});

describe('deleting', () => {
  let olga: string;
  let ben: Awaited<ReturnType<AppClient['signIn']>>;

  beforeAll(async () => {
    ({ olga } = client);
    ben = await client.signIn();
  });

  describe('an app', () => {
    const remove = (authorization: string, id: string) => app.send('delete', `${APPS}/${id}`, authorization);
    const get = (authorization: string, id: string) => app.send('get', `${APPS}/${id}`, authorization);

    it('ends its tokens, sign-ins, consents and permissions before the response', async () => {
      const foreignOwner = await newUser(app, {}, client.second);
      const wanted = { _orgId: app.second.orgId, _appOwner: foreignOwner.userName };
      const made = await client.createApp(wanted, client.second);
      const sibling = await client.createApp();
      const own = await asApp(app, made);
      const { access: asItsUser, refresh } = await tokensFor(app, foreignOwner, undefined, made);
      const left = (name: string, field: string) =>
        Promise.all([made, sibling].map(({ id }) => collection(name).countDocuments({ [field]: id })));
      for (const one of [made, sibling]) {
        await collection('consents').insertOne({ ...consentTo(one.id), _id: `user:${one.id}` });
        const templates = app.send('get', TEMPLATES, await asApp(app, one));
        await templates.query({ _name: 'USER_GROUP_INVITE' }).expect(200);
      }
      const doomed = { _type: 'user' as const, _id: ben.id };
      await app.grants.allow(doomed, made.namespace, 'filesvc:file:*', ['READ']);
      await app.grants.allow({ _type: 'app', _id: made.id }, sibling.namespace, 'filesvc:file:*', ['READ']);
      for (const authorization of [own, asItsUser]) await get(authorization, made.id).expect(200);

      await remove(await actingFor(app, foreignOwner.id), made.id).expect(204);
      for (const authorization of [own, asItsUser]) await get(authorization, made.id).expect(401);
      await get(client.trusted, made.id).expect(404);
      await refreshWith(app, refresh, made).expect(403);
      const response = await requestToken(app, { grant_type: 'client_credentials' }, made).expect(403);
      expect(response.body.error).toBe('invalid_client');
      expect(await left('authorizations', 'clientId')).toEqual([0, 0]);
      expect(await left('consents', '_appId')).toEqual([0, 1]);
      expect(await left('notification_templates', '_appId')).toEqual([0, 2]);
      expect(await app.grants.namespacesOf({ _type: 'app', _id: made.id })).toEqual([]);
      expect(await app.grants.grantsOf(doomed, made.namespace)).toEqual([]);
      await remove(client.trusted, made.id).expect(404);
    });

    it('happens once under concurrent requests, on the expected revision', async () => {
      const { id } = await client.createApp();
      await remove(olga, id).set('if-match', '"7"').expect(412);
      const responses = await Promise.all(Array.from({ length: 4 }, () => remove(olga, id)));
      expect(responses.map(({ status }) => status).toSorted()).toEqual([204, 404, 404, 404]);
    });
  });

  describe('a workspace', () => {
    const remove = (authorization: string, id: string) => app.send('delete', `${WORKSPACES}/${id}`, authorization);
    const create = async () => {
      const { body } = await app.send('post', WORKSPACES, olga, [{}]).expect(201);
      const { _id: id, _namespaces } = body._list[0] as { _id: string; _namespaces: string[] };
      return { id, namespace: _namespaces[0]! };
    };
    const announced = (id: string) => collection('outbox').countDocuments({ 'payload._id': id });

    it('ends all permissions in its namespaces and notifies the services before the response', async () => {
      const { id, namespace } = await create();
      const subject = { _type: 'user' as const, _id: ben.id };
      await app.grants.allow(subject, namespace, '*:*:*', ['READ']);
      await app.send('get', `${WORKSPACES}/${id}`, ben.authorization).expect(200);
      await remove(olga, id).expect(204);
      await app.send('get', `${WORKSPACES}/${id}`, ben.authorization).expect(404);
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

    it('makes room under the limit of its app', async () => {
      const limited = await client.createApp({ _configs: { 'workspaces.limit': '1' } });
      const authorization = await asApp(app, limited);
      const post = () => app.send('post', WORKSPACES, authorization, [{}]);
      const { _id } = (await post().expect(201)).body._list[0] as { _id: string };
      await post().expect(400);
      await remove(authorization, _id).set('if-match', '"7"').expect(412);
      await remove(authorization, _id).expect(204);
      await post().expect(201);
    });

    it('is finished by the sweep after an outage of objectmodelsvc, and announced twice', async () => {
      const { id, namespace } = await create();
      const close = app.grants.close.bind(app.grants);
      app.grants.close = () => Promise.reject(commonErrors.unavailable());
      await remove(olga, id).expect(503);
      expect(await announced(id)).toBe(0);
      app.grants.close = close;
      const due = () => collection('deletions').updateOne({ _id: id }, { $set: { dueAt: 0 } });
      await due();
      await eventually(async () => expect(await announced(id)).toBe(WORKSPACE_DELETED_QUEUES.length));
      expect(await app.grants.namespacesOf({ _type: 'user', _id: client.owner.id })).not.toContain(namespace);
      await due();
      await app.deps.deletions.finishDue();
      await eventually(async () => expect(await announced(id)).toBe(2 * WORKSPACE_DELETED_QUEUES.length));
      expect(await collection('deletions').countDocuments({ _id: id })).toBe(0);
    });

    it('is finished even if deletions of users fail', async () => {
      const { id } = await create();
      const close = app.grants.close.bind(app.grants);
      const removeUser = app.grants.removeUser.bind(app.grants);
      const fail = () => Promise.reject(commonErrors.unavailable());
      Object.assign(app.grants, { close: fail, removeUser: fail });
      await remove(olga, id).expect(503);
      const user = { kind: 'user', namespaces: [], rounds: 0, dueAt: 0 };
      await collection('deletions').insertMany(Array.from({ length: 25 }, (_, n) => ({ ...user, _id: `user-${n}` })));
      await collection('deletions').updateOne({ _id: id }, { $set: { dueAt: 1 } });
      app.grants.close = close;
      await app.deps.deletions.finishDue().catch(() => undefined);
      await eventually(async () => expect(await announced(id)).toBe(WORKSPACE_DELETED_QUEUES.length));
      app.grants.removeUser = removeUser;
      await app.deps.deletions.finishDue();
      await eventually(async () => expect(await collection('deletions').countDocuments({ dueAt: 0 })).toBe(0));
    });
  });
});

describe('the permissions of a deleted user', () => {
  let users: ReturnType<typeof createUserClient>;
  const namespacesOf = (_id: string) => app.grants.namespacesOf({ _type: 'user', _id });
  const reader = async (userName: string) => {
    const { id } = await users.create({ userName });
    await app.grants.allow(id, 'tower', 'filesvc:file:*', ['READ']);
    return id;
  };

  beforeAll(() => {
    users = createUserClient(app, client.trusted);
  });

  it('are removed, and those of others are kept', async () => {
    const [leaver, colleague] = [await reader('leaver@x.test'), await reader('colleague@x.test')];
    await users.remove(leaver);
    expect(await namespacesOf(leaver)).toEqual([]);
    expect(await namespacesOf(colleague)).toEqual(['tower']);
  });

  it('are removed once objectmodelsvc is available, once more later for grants in between, and never again', async () => {
    const id = await reader('late@x.test');
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
    await app.deps.deletions.finishDue();
    await eventually(async () =>
      expect(await collection('deletions').findOne({ _id: id })).toMatchObject({ rounds: 1 }),
    );
    expect(await namespacesOf(id)).toEqual([]);
    await app.grants.allow(id, 'tower', 'filesvc:file:*', ['READ']);
    await collection('deletions').updateOne({ _id: id }, { $set: { dueAt: 0 } });
    await app.deps.deletions.finishDue();
    await eventually(async () => expect(await collection('deletions').countDocuments({ _id: id })).toBe(0));
    expect(await namespacesOf(id)).toEqual([]);
  });

  it('are kept when the deletion is rejected', async () => {
    const id = await reader('stays@x.test');
    await app
      .send('delete', `/passportsvc/api/v1/scim/Users/${id}`, client.trusted)
      .set({ 'if-match': 'W/"99"' })
      .expect(412);
    expect(await collection('deletions').countDocuments({ _id: id })).toBe(0);
    expect(await namespacesOf(id)).toEqual(['tower']);
  });
});

const consentTo = (_appId: string) => ({
  ...{ _userId: 'f'.repeat(24), _appId, _appName: 'App', _orgId: 'second-org', _orgName: 'Second' },
  ...{ _destinations: [], _metadata: { _createdAt: 1, _updatedAt: 1 }, _revoked: false },
});
