import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { createServiceClient } from '@dtplatform/service-client';
import { fixedToken } from '@dtplatform/testing';
import { remoteGrants } from '@dtplatform/permissions';
import { setUpNamespaces } from './permission-client.js';
import { entryFor, PERMISSIONS } from './start-app.js';

describe('a user who was deleted', () => {
  const { here, put, may } = setUpNamespaces();
  const remove = (id: string, authorization = here.platform) =>
    here.app.api.delete(`${PERMISSIONS}/users/${id}`).set({ authorization });
  const recordsOf = (id: string) =>
    here.app.mongo.db.collection('permissions').find({ '_user._id': id }).sort({ _namespace: 1 }).toArray();
  const owns = (userId: string, namespace = here.namespace) => entryFor(userId, namespace, '*:*:*', '*');

  it('holds nothing any more, in any namespace and replica; others keep what they hold', async () => {
    const there = await here.app.startInstance();
    const other = `other_${randomUUID()}`;
    const files = Array.from({ length: 250 }, (_, n) =>
      entryFor(here.benId, here.namespace, `filesvc:file:${n}`, 'READ'),
    );
    await put(here.platform, files);
    await put(here.platform, [entryFor(here.benId, other, '*:*:*', 'READ'), entryFor('carla', other, '*:*:*', 'READ')]);
    const group = { ...entryFor('', other, '*:*:*', 'READ'), _user: { _type: 'permprofile', _id: here.benId } };
    await put(here.platform, [group]);
    expect(await may(here.platform, here.benId, here.namespace, { on: there })).toBe(true);

    await remove(here.benId).expect(204);
    expect(await may(here.platform, here.benId, here.namespace, { on: there })).toBe(false);
    expect(await may(here.platform, here.benId, other)).toBe(false);
    expect(await may(here.platform, 'carla', other)).toBe(true);
    expect(await may(here.platform, here.ownerId, here.namespace)).toBe(true);
    expect((await recordsOf(here.benId)).map(({ _user }) => _user._type)).toEqual(['permprofile']);
    await remove(here.benId).expect(204);
    await there.stop();
  });

  it('is removed as an owner where there is another one; the record of the last owner stays', async () => {
    const shared = `shared_${randomUUID()}`;
    await put(here.platform, [owns(here.ownerId, shared), owns('second', shared)]);
    await put(here.platform, [entryFor(here.ownerId, here.namespace, 'filesvc:file:1', 'READ')]);
    for (let n = 0; n < 2; n++) {
      await remove(here.ownerId).expect(204);
      expect(await recordsOf(here.ownerId)).toEqual([
        expect.objectContaining({ _namespace: here.namespace, _resourceDesc: { _irn: '*:*:*' }, _actions: ['*'] }),
      ]);
    }
    // Somebody else takes the namespace over.
    await put(here.platform, [owns('successor')]);
    await remove(here.ownerId).expect(204);
    expect(await recordsOf(here.ownerId)).toEqual([]);
  });

  it('leaves one owner when all owners are deleted at the same time', async () => {
    const owners = Array.from({ length: 6 }, () => `owner-${randomUUID()}`);
    await put(
      here.platform,
      owners.map((id) => owns(id)),
    );
    await Promise.all([here.ownerId, ...owners].map((id) => remove(id).expect(204)));
    const left = await Promise.all([here.ownerId, ...owners].map(recordsOf));
    expect(left.flat()).toHaveLength(1);
  });

  it('is removed by services of the platform only', async () => {
    await put(here.platform, [entryFor(here.benId, here.namespace, 'filesvc:file:1', 'READ')]);
    for (const kind of ['user', 'app', 'admin'] as const)
      await remove(here.benId, await here.app.as('somebody', kind)).expect(403);
    await remove(here.benId, here.owner).expect(403);
    await remove('x'.repeat(200)).expect(404);
    expect(await may(here.platform, here.benId, here.namespace)).toBe(true);

    const token = fixedToken(here.platform);
    const client = createServiceClient({ baseUrl: here.app.url, token });
    await remoteGrants(client).removeUser(here.benId);
    expect(await may(here.platform, here.benId, here.namespace)).toBe(false);
    const app = { _type: 'app', _id: here.benId };
    await put(here.platform, [{ ...entryFor('', here.namespace, 'filesvc:file:1', 'READ'), _user: app }]);
    await remoteGrants(client).removeApp(here.benId);
    await client.close();
    expect(await recordsOf(here.benId)).toEqual([]);
  });
});
