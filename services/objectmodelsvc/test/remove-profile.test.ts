import { describe, expect, it } from '@jest/globals';
import { newId } from '@dtplatform/mongo';
import { remoteGrants } from '@dtplatform/permissions';
import { createServiceClient } from '@dtplatform/service-client';
import { fixedToken } from '@dtplatform/testing';
import { setUpNamespaces } from './permission-client.js';
import { entryFor, PERMISSIONS } from './start-app.js';

describe('a permission profile that was deleted', () => {
  const { here, put, may } = setUpNamespaces();
  const remove = (id: string, authorization = here.platform, _namespaces = [here.namespace]) =>
    here.app.api.delete(`${PERMISSIONS}/permissionprofiles/${id}`).set({ authorization }).send({ _namespaces });
  const recordsWith = (filter: object) => here.app.mongo.db.collection('permissions').countDocuments(filter);
  const heldBy = (id: string) => recordsWith({ '_user._id': id });
  const irnOf = (id: string) => `passportsvc:permissionprofile:${id}`;
  const onIt = (id: string) => recordsWith({ '_resourceDesc._irn': irnOf(id) });
  const held = (_id: string, irn: string, action = 'READ') => ({
    ...entryFor('', here.namespace, irn, action),
    _user: { _type: 'permprofile', _id },
  });

  it('holds nothing any more, and nobody holds anything on it; others keep what they hold', async () => {
    const [gone, kept] = [newId(), newId()];
    const elsewhere = { ...held(gone, 'filesvc:file:1'), _namespace: `other_${here.namespace}` };
    const files = Array.from({ length: 150 }, (_, n) => held(gone, `filesvc:file:${n}`));
    await put(here.platform, [...files, elsewhere, held(kept, 'filesvc:file:1')]);
    const users = Array.from({ length: 150 }, (_, n) => entryFor(`user-${n}`, here.namespace, irnOf(gone), 'ASSIGN'));
    await put(here.platform, [...users, entryFor(here.benId, here.namespace, irnOf(kept), 'ASSIGN')]);

    await remove(gone).expect(204);
    expect([await heldBy(gone), await onIt(gone)]).toEqual([0, 0]);
    expect([await heldBy(kept), await onIt(kept)]).toEqual([1, 1]);
    expect(await may(here.platform, here.ownerId, here.namespace)).toBe(true);
    expect(await may(here.platform, 'user-7', here.namespace, { action: 'ASSIGN', irn: irnOf(gone) })).toBe(false);
    await remove(gone).expect(204);
  });

  it('keeps the last record of an owner of a namespace', async () => {
    const id = newId();
    const own = { ...held(id, '*:*:*', '*'), _namespace: `own_${here.namespace}` };
    await put(here.platform, [own, held(id, '*:*:*', '*')]);
    await remove(id).expect(204);
    expect(await recordsWith({ '_user._id': id, _namespace: own._namespace })).toBe(1);
    expect(await heldBy(id)).toBe(1);
  });

  it('is removed by services of the platform only', async () => {
    const id = newId();
    await put(here.platform, [held(id, 'filesvc:file:1')]);
    for (const kind of ['user', 'app', 'admin'] as const)
      await remove(id, await here.app.as('somebody', kind)).expect(403);
    await remove(id, here.owner).expect(403);
    await remove('no-id').expect(404);
    await remove(id, here.platform, ['', 'tower']).expect(400);
    expect(await heldBy(id)).toBe(1);

    const client = createServiceClient({ baseUrl: here.app.url, token: fixedToken(here.platform) });
    await remoteGrants(client).removeProfile(id, [here.namespace]);
    await client.close();
    expect(await heldBy(id)).toBe(0);
  });
});
