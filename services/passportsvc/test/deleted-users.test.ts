import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@dtplatform/testing';
import { startApp } from './start-app.js';
import type { TestApp } from './start-app.js';
import { asApp } from './tokens.js';
import { createUserClient } from './user-client.js';

describe('the permissions of a deleted user', () => {
  let app: TestApp;
  let users: ReturnType<typeof createUserClient>;
  const deletions = () => app.mongo.db.collection<{ _id: string }>('user_deletions');
  const namespacesOf = (_id: string) => app.grants.namespacesOf({ _type: 'user', _id });
  const untilGone = (id: string) => eventually(async () => expect(await namespacesOf(id)).toEqual([]));
  const reader = async (userName: string) => {
    const { id } = await users.create({ userName });
    await app.grants.allow(id, 'tower', 'filesvc:file:*', ['READ']);
    return id;
  };

  beforeAll(async () => {
    app = await startApp();
    users = createUserClient(app, await asApp(app));
  });
  afterAll(() => app.stop());

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
